"""Event extraction: dependency parse and coreference -> predicates, entities, event chains."""
