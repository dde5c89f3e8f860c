"""Models that pick salads apart, one a file: ``group(salads) -> list[Grouping]``."""
