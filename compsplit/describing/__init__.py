"""What is in a data set: counts, words, types, programs, and what follows from its questions."""
