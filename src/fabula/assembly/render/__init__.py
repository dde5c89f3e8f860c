"""An assembly as JSON, Markdown, HTML and terminal text."""
