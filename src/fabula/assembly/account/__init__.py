"""What an account shows: actors, title, timeline, notes."""
