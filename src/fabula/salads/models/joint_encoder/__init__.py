"""Cross-sentence encoder: MiniLM fine-tuned to score all sentence pairs of a salad."""
