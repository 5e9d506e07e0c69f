"""What makes the manual: the page of commands, the pictures, and helpers for the site."""
