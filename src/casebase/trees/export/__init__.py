"""Trees and their rules as text, JSON, SQL and Python source."""
