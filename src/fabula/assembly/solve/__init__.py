"""Solving a pile: story assignment, story order, structure links, near repeats."""
