"""Applications: what is made of the learners for one task."""
