"""Causal language models: loading, likelihood, continuations, hidden states."""
