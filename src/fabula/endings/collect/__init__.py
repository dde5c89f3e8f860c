"""Collecting endings without artefacts (Sharma et al. 2018, section 5)."""
