"""Events: from text to chains to what happened next."""
