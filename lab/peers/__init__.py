"""What casebase is compared with: one runner for each program, used by tests, papers and benchmark."""
