"""Runs: stored answers and metrics, fingerprints, resuming, the machine."""
