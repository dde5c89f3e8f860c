"""The event cloze: tests, and rankings of candidate events."""
