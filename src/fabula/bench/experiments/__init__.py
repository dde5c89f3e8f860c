"""Experiments: many trainings and measurements under one name, resumable, with tables and plots.

One experiment per file. Each is a function of data, models and a folder; finished cells are stored
in the folder and not computed again.
"""
