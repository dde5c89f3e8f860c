"""HTML: pages and the HTML parts of mails as blocks of text, each with its line in the source."""
