"""The memory: cases in sorted segments, what each feature is worth, and how the memory is corrected."""
