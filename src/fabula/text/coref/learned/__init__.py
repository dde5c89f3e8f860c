"""Learned coreference: rules for names and nouns, a trained scorer for pronouns."""
