"""OBLIVION and oblivious decision graphs: the same features on every path."""
