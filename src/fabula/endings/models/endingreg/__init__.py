"""EndingReg (Sharma et al. 2018): features of the ending alone, the model, and its ablation."""
