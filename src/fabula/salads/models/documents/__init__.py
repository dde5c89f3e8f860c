"""Whole documents to stories: link features, a learnt link model, seams inside a document."""
