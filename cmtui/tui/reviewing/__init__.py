"""Parts of the review screen: what it writes, copies, exports and compares, and the screens it opens."""
