"""Reading bibliography files: BibTeX, BibLaTeX, RIS and CSL-JSON, as reference managers export them."""
