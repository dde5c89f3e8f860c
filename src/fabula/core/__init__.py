"""What every room builds on: files, progress, statistics, figures, training, stored weights."""
