"""Clustering: from pair scores or vectors to stories."""
