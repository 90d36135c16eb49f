"""Computer opponents as data: how far each level goes, and what each race builds."""
