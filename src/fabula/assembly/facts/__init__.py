"""Facts of a sentence: clauses, claims, places, outcomes, event classes."""
