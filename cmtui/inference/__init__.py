"""How a passage stands to a claim: conservative rules that say why they abstain."""
