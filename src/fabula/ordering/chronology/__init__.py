"""Order by time: what the text tells of its times, as evidence for the order of events."""
