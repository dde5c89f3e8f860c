"""Assemble a whole corpus: any number of documents in, a folder of stories out."""
