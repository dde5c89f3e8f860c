"""fabula inside other programs: components of spaCy pipelines."""
