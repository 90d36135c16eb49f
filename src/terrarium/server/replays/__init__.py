"""Games that are over: saved, described, and watched again."""
