"""Two orders: of telling (``find_order``), and of happening (``solver.find_chronology``).

``find_chronology`` is the one code path of ``fabula.order(by="time")`` and ``assemble``.
"""
