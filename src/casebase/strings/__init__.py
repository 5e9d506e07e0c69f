"""Rules over strings: pieces of strings as concepts, and hierarchical rules of them; the hyphenator is one use."""
