"""How passages lie in Milvus: the fields of a collection, and words that every analyzer leaves whole.

Milvus Lite knows only the analyzers ``standard`` and ``jieba``, so the stems are made here, as for the other
indexes, and written as plain ASCII words: what counts as a word never depends on the server.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import Any

from cmtui.model.source import CanonicalDocument
from cmtui.retrieval.projection import FOLD
from cmtui.retrieval.query_tree import AllOf, AnyOf, Node, Phrase, Prefix, Term
from cmtui.retrieval.tokens import STOP_WORDS, Token, stemmer_version, words

#: The layout of a collection; raise it when a field or the meaning of one changes.
LAYOUT = "cmtui-milvus/1"
#: BM25 constants, those of the other lexical indexes (Whoosh's BM25F).
K1, B = 1.2, 0.75
#: Longest text field of Milvus, in bytes. A passage has 1,600 code points at most, so it always fits.
MAX_TEXT = 65_535


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage as the collection holds it: ``tokens`` are its stems for BM25, ``words`` its stems in order
    (with the halves of words joined over a line end in a second run) and its folded words for prefixes."""

    tokens: str
    words: str


def fingerprint(dense: str) -> str:
    """Eight hex digits of everything a collection depends on; another one is another collection."""
    stops = " ".join(sorted(STOP_WORDS))
    parts = (LAYOUT, FOLD, stemmer_version(), stops, unicodedata.unidata_version, dense)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def passage_text(text: str) -> PassageText:
    """The fields of a passage's exact text."""
    tokens = words(text)
    whole, halves = _runs(tokens)
    runs = f" {' '.join(whole)} " + (f". {' '.join(halves)} " if halves else "")
    surface = "".join(f"~{_hex(token.text)} " for token in tokens if token.text not in STOP_WORDS)
    return PassageText(" ".join(plain_word(token.stem) for token in tokens), runs + surface)


def _runs(tokens: list[Token]) -> tuple[list[str], list[str]]:
    """The stems one after the other: with joined words, and, if there are any, with their halves instead."""
    whole: dict[int, str] = {}
    halves: list[tuple[int, str]] = []
    split: set[int] = set()
    for token in tokens:
        if token.position in whole:
            split.add(token.position)
            halves.append((token.position, plain_word(token.stem)))
        else:
            whole[token.position] = plain_word(token.stem)
    if not split:
        return list(whole.values()), []
    second = [(position, stem) for position, stem in whole.items() if position not in split] + halves
    return list(whole.values()), [stem for _, stem in sorted(second, key=lambda pair: pair[0])]


def plain_word(stem: str) -> str:
    """A stem as an ASCII word without inner punctuation, one to one."""
    return stem if stem.isascii() and stem.isalnum() else "0x" + _hex(stem)


def _hex(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").hex()


def condition(node: Node) -> str:
    """A Milvus filter that is true for the passages a query's node matches.

    The words in it are ASCII letters and digits, so that nothing typed by a person reaches the expression.
    """
    if isinstance(node, Term):
        return f'words like "% {plain_word(node.stem)} %"'
    if isinstance(node, Phrase):
        return f'words like "% {" ".join(plain_word(stem) for stem in node.stems)} %"'
    if isinstance(node, Prefix):
        return f'words like "% ~{_hex(node.text)}%"'
    joint = " or " if isinstance(node, AnyOf) else " and "
    parts = [f"({joint.join(condition(child) for child in node.children)})"] if node.children else []
    parts += [f"(not ({condition(child)}))" for child in node.excluded]
    return " and ".join(parts)


def needs_condition(node: Node) -> bool:
    """Whether BM25 alone may answer with passages that the query does not match."""
    return not (
        isinstance(node, Term)
        or (
            isinstance(node, AnyOf)
            and not node.excluded
            and all(isinstance(child, Term) for child in node.children)
        )
    )


def scored_stems(node: Node) -> list[str]:
    """The stems that passages are scored by: those of words and phrases looked for."""
    if isinstance(node, Term):
        return [node.stem]
    if isinstance(node, Phrase):
        return list(node.stems)
    if isinstance(node, AnyOf | AllOf):
        return [stem for child in node.children for stem in scored_stems(child)]
    return []


def has_prefix(node: Node) -> bool:
    """Whether a prefix is looked for: BM25 does not find the passages that match by it alone."""
    if isinstance(node, AnyOf | AllOf):
        return any(has_prefix(child) for child in node.children)
    return isinstance(node, Prefix)


def make_passages(client: Any, name: str, dimensions: int) -> None:
    """Create the collection of passages; ``dimensions`` 0 means without vectors."""
    from pymilvus import DataType, Function, FunctionType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("passage_id", DataType.VARCHAR, max_length=96, is_primary=True)
    schema.add_field("document_id", DataType.VARCHAR, max_length=64)
    schema.add_field("source_id", DataType.VARCHAR, max_length=64)
    schema.add_field("kind", DataType.VARCHAR, max_length=16)
    schema.add_field("place", DataType.INT64)
    schema.add_field(
        "tokens",
        DataType.VARCHAR,
        max_length=MAX_TEXT,
        enable_analyzer=True,
        analyzer_params={"tokenizer": "standard"},
    )
    schema.add_field("words", DataType.VARCHAR, max_length=MAX_TEXT)
    schema.add_field("bm25", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(
        Function(
            name="bm25",
            function_type=FunctionType.BM25,
            input_field_names=["tokens"],
            output_field_names=["bm25"],
        )
    )
    indexes = client.prepare_index_params()
    indexes.add_index(
        "bm25",
        index_type="SPARSE_INVERTED_INDEX",
        metric_type="BM25",
        params={"bm25_k1": K1, "bm25_b": B},
    )
    if dimensions:
        schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dimensions)
        indexes.add_index("dense", index_type="FLAT", metric_type="IP")
    client.create_collection(name, schema=schema, index_params=indexes, consistency_level="Strong")


def make_documents(client: Any, name: str) -> None:
    """Create the collection of documents: a row is the commit of a document's passages.

    Milvus wants a vector in every collection, so each row has one of two zeros.
    """
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("document_id", DataType.VARCHAR, max_length=64, is_primary=True)
    schema.add_field("passages", DataType.INT64)
    schema.add_field("nothing", DataType.FLOAT_VECTOR, dim=2)
    indexes = client.prepare_index_params()
    indexes.add_index("nothing", index_type="FLAT", metric_type="L2")
    client.create_collection(name, schema=schema, index_params=indexes, consistency_level="Strong")


def passage_rows(document: CanonicalDocument, source_id: str) -> list[dict[str, Any]]:
    """The rows of a document's passages, without vectors."""
    rows: list[dict[str, Any]] = []
    for place, passage in enumerate(document.passages):
        text = passage_text(document.passage_text(passage))
        rows.append(
            {
                "passage_id": document.passage_id(passage),
                "document_id": document.document_id,
                "source_id": source_id,
                "kind": str(document.kind),
                "place": place,
                "tokens": text.tokens,
                "words": text.words,
            }
        )
    return rows
