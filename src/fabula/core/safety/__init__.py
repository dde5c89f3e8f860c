"""What keeps users' files, memory and terminals safe: owned folders, limits, escapes."""
