"""The version of the game whose API is served: 4.10, the last one for Linux."""

BASE_BUILD = 75689
DATA_VERSION = "B89B5D6FA7CBF6452E721311BFBC6CB2"
GAME_VERSION = "4.10.0.75689"
