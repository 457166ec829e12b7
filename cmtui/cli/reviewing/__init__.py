"""What stands behind the verbs of ``citation-machine review``."""
