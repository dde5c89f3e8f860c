"""Parsing: spaCy's tokens, tags, dependencies and names as plain lists; parse complexity."""
