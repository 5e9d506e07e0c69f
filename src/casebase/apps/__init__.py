"""Applications: what the learners are for, with words and texts in and out."""
