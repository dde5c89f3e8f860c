"""Models that order texts, one a file: ``order(texts) -> list[Order]``."""
