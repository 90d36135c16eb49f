"""Battle records, the page that plays them, and pictures of them."""
