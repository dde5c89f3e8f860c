"""Training of the learned resolver: labelled anaphors, fine-tuning, calibration, weights."""
