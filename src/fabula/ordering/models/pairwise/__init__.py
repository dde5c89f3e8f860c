"""The shipped model: pair probabilities from a cross-sentence encoder and discourse cues."""
