"""Parts of the acquire screen: rows, words, and what was captured."""
