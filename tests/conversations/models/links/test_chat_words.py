from __future__ import annotations

import numpy as np

from fabula.conversations.models.links.chat_words import topic_matrix, word_matrix


def test_parts_of_an_address_are_words() -> None:
    words, _ = word_matrix(["see https://example.org/bug/231930", "bug 231930 is open", "hello"])
    shared = (words @ words.T).toarray()
    assert shared[0, 1] > 0 and shared[0, 2] == 0


def test_a_topic_is_that_of_the_senders_messages_nearby() -> None:
    words, _ = word_matrix(["printer offline", "toner printer", "toner", "toner"])
    senders = np.array([0, 0, 1, 0])
    topics = topic_matrix(words, senders, np.array([0.0, 1.0, 1.0, 90.0]))
    alike = (topics @ topics.T).toarray()
    assert alike[0, 2] > 0  # message 0 has no word of 2; its sender's next one has
    assert topics[3].nnz == 1  # an hour later it is another topic
    assert (alike.diagonal() <= 1 + 1e-9).all()
