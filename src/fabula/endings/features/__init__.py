"""Features of an ending alone (EndingReg), and their ablation."""
