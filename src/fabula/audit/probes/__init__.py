"""The probes, one a file: ``probe(case) -> Finding``. The registry ``probes`` has their names."""
