"""The rules, compiled: one small kernel for each rule, in folders by subject."""
