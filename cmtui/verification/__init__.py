"""The only code that may create an evidence identity."""
