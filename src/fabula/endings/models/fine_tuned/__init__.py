"""A language model fine-tuned to choose endings."""
