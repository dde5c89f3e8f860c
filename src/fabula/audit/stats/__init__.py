"""Statistics behind the probes: exchangeability tests, classifiers, near duplicates."""
