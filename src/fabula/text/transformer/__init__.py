"""Transformers: specifications, ONNX graphs, and cross-sentence encoders."""
