"""Whole documents to stories: link features, a learnt link model, boundaries inside a document."""
