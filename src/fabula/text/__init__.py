"""Reading language: documents, sentences, and what is known about them."""
