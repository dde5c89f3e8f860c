"""An audit as an HTML page, as figures and as text."""
