"""The compiled part of the environments: actions in; observations, rewards and endings out."""
