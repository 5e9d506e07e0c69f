"""Programs that casebase is compared with: one runner each, for tests, papers and benchmark."""
