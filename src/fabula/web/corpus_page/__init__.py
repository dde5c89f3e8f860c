"""The page of an assembled corpus."""
