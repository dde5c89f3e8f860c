"""Chat exports: one form a module, each a function of a file to its messages."""
