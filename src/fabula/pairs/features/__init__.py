"""What a pair of sentences shares and in what it differs, as numbers."""
