"""Measuring models.

``evaluate`` measures, ``store`` keeps, ``compare`` tells apart, ``report`` shows. Import from the
modules: ``from fabula.bench.evaluate import evaluate``.
"""
