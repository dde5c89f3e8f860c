"""Segmentation: sentences, lines, words and the language of a text."""
