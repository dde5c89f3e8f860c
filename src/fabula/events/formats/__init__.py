"""Chain files: CoNLL-U, CoreNLP, nachos, exports, and where chains come from."""
