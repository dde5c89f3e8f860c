"""Models of sentence pairs."""
