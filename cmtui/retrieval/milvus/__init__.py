"""Milvus as the index of a library that outgrew one machine (extra ``[milvus]``)."""
