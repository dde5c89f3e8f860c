"""E-mail: messages and mailboxes, with quotes, forwards and signatures told apart."""
