"""What makes the manual: the page of commands, and small helps for the site."""
