"""Coreference files: GAP's TSV and CoNLL."""
