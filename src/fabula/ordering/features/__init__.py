"""Pair features for ordering: hashed words, discourse cues, adjacency, LM continuation."""
