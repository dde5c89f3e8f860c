"""The shipped model: pair features, a relational network, correlation clustering."""
