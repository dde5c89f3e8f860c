"""Cross-encoder: a transformer that reads both sentences of a pair at once."""
