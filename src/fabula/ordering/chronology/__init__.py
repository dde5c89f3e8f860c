"""Order with times: a model's order combined with the times told in the text.

``find_order.find_order`` is the one code path of ``fabula.order`` and ``assemble``.
"""
