"""Coreference models: passages in, resolutions out."""
