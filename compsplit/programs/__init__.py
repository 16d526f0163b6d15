"""Programs of questions: their types, steps, canonical form, answers on scenes, and what follows from them."""
