"""Decoding: from pair probabilities to an order (Kemeny, beam search, permutation marginals)."""
