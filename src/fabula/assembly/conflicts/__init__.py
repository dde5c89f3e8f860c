"""Contradictions: candidate sentence pairs, a pair classifier, comparison by slot."""
