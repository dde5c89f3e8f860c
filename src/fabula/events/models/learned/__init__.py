"""The learned event model: features of event pairs, and a classifier over them."""
