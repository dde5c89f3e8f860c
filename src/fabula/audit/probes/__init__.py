"""The probes, one a file: ``(AuditContext) -> Finding``, named in the registry ``probes``."""
