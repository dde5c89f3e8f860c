"""Instance-based models: counts from the training documents that resemble a chain."""
