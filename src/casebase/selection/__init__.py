"""Feature selection: filters that run before learning."""
