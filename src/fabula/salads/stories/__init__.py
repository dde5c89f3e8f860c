"""Stories of a pile: how many there are, and which sentence belongs to which."""
