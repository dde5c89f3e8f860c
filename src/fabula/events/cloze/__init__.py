"""The event cloze: tests, rankings of candidates, whole-event candidates."""
