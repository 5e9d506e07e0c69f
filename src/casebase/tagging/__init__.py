"""The tagger: a lexicon, features of words in context, and memories that answer together or one by one."""
