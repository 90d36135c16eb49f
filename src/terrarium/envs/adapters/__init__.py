"""The environments behind the interfaces of PettingZoo and Gymnasium."""
