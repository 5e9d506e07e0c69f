"""Models as text that people and programs read: one file per kind of model."""
