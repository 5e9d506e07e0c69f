"""The autopilot: several readings of one memory, combined by their held-out answers."""
