"""Links between the documents of a corpus: candidates, their log-odds, groups and stories."""
