"""Ending item files: columns of tables, COPA, lm-evaluation-harness."""
