"""Multi-argument event models (Pichotta and Mooney 2014)."""
