"""Building salads from documents: the mixing recipes, topic vectors, the event form."""
