"""What an account shows: actors, title, timeline, gaps, notes."""
