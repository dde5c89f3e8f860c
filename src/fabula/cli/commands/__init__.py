"""One command a file: ``add_to(app)`` registers it."""
