"""One file per format: each turns a path into documents."""
