"""What the four pointer networks share: data, encoders, decoder, training."""
