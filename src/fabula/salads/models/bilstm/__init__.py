"""The paper's neural pair classifiers: the BiLSTM and FFNN-BiLSTM families."""
