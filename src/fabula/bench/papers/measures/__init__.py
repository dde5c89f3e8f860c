"""How the papers' tables are measured: with the library's own builders, models and metrics."""
