"""Sentence and word encoders: ``.encode(list[str]) -> array``, and their disk cache."""
