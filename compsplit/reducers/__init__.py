"""Reducers: from a question to its concepts, and from an answer to its one concept."""

from compsplit.reducers import lexical as lexical
from compsplit.reducers import nltk_wordnet as nltk_wordnet
from compsplit.reducers import spacy_pipeline as spacy_pipeline
