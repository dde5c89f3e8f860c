"""Event extraction: from a parse to events, entities and chains."""
