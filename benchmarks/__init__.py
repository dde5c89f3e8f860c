"""Speed and quality against peers, measured in the same run on the same input."""
