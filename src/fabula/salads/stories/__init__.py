"""Stories of a pile: how many there are, and which sentence belongs to which.

``assignment.assign_stories`` is the one code path of ``fabula.untangle`` and ``assemble``.
"""
