"""Finding passages: lexical, semantic and hybrid. Derived data only; never part of an identity."""
