"""Records, pages and pictures of episodes of PettingZoo environments."""
