"""The local page: ``fabula serve``. Loopback only unless asked for otherwise, with a token."""
