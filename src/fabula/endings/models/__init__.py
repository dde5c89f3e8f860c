"""Models that judge endings, one a file: ``score(items) -> list[scores per option]``."""
