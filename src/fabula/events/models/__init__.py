"""Models of the event cloze, one a file."""
