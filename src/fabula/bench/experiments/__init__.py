"""Experiments: many trainings and measurements under one name, resumable, with tables and plots.

One experiment a file. Each is a function that takes data, models and a folder; a cell that is
finished is kept in the folder and not computed again.
"""
