"""Counts of events and event pairs: counting in bounded memory, stores on disk."""
