"""Trees as drawings."""
