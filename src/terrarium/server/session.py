"""The status machine: what may be asked when, and what becomes of the status."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError
from s2clientprotocol import sc2api_pb2 as api

from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.server.bookmarks import Bookmark
    from terrarium.server.game_plan import GamePlan
    from terrarium.server.live_game import LiveGame

logger = logging.getLogger(__name__)

LAUNCHED, INIT_GAME, IN_GAME = api.launched, api.init_game, api.in_game
IN_REPLAY, ENDED, QUIT = api.in_replay, api.ended, api.quit
ANY = frozenset({LAUNCHED, INIT_GAME, IN_GAME, IN_REPLAY, ENDED})
PLAYED = frozenset({IN_GAME, IN_REPLAY, ENDED})
"""Statuses in which a game can be looked at."""

NO_GAME = "A game has not been started yet"
GAME_OVER = "Game has already ended"
NOT_IN_A_GAME = "Not in a game"
NOT_AFTER_THE_END = "Not supported if game has already ended"
NOT_CREATED = (
    "Must first start a game with CreateGame or specify ports to join another client's game"
)


class Refused(TerrariumError):
    """A request is not possible now; its text is what clients read."""


@dataclass(frozen=True)
class Rule:
    """When a request may be made, and what answers it."""

    answer: Callable[["Session", Any, Any], None]
    """fills the part of the response that has the request's name"""
    statuses: frozenset[int]
    after_the_end: str = NOT_AFTER_THE_END
    """what clients read that ask for it when the game has ended"""


class Session:
    """What a client talks to: one request after the other, each with a response.

    A request that is refused leaves everything as it was.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.status: int = LAUNCHED
        self.plan: GamePlan | None = None
        """of the game that was created"""
        self.game: LiveGame | None = None
        """the game of this process, whoever is connected"""
        self.left_game: LiveGame | None = None
        """the one before, until another begins"""
        self.saved_maps: dict[str, bytes] = {}
        """map files that clients have stored, by the path that they gave"""
        self.bookmark: Bookmark | None = None
        """of a quick save"""
        self.has_client: Callable[[], bool] = lambda: True
        """Is there still somebody who waits for the present answer?"""
        self.end_preparation: Callable[[], None] = lambda: None
        """called before a game begins: the process may still be preparing for it"""
        self.changed = threading.Condition()
        """held while a request is carried out, and by whoever else changes the game"""
        self.clock = object()
        """what drives a realtime game; another one, and the old one stops"""
        self.n_faults = 0
        """how many requests failed by a mistake of the server"""
        self._rules = rules

    @property
    def playing(self) -> "LiveGame":
        """The game that is played or watched."""
        if self.game is None:
            raise Refused(NO_GAME)
        return self.game

    def note_end(self) -> None:
        """The status follows the game."""
        if self.status in (IN_GAME, IN_REPLAY) and self.game is not None and self.game.ended:
            self.status = ENDED
        self.changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Let others change the game; afterwards it may be another one."""
        self.changed.wait(seconds)
        if not self.has_client():
            raise Refused("the client has gone")

    def answer(self, data: bytes) -> bytes:
        """Carry out a serialized Request; the serialized Response."""
        response = api.Response()
        try:
            request = api.Request.FromString(data)
        except DecodeError as error:
            response.error.append(f"The request is no message of the API: {error}")
        else:
            if request.HasField("id"):
                response.id = request.id
            with self.changed:
                self._carry_out(request, response)
        response.status = self.status  # type: ignore[assignment]  # an int is one of its values
        answer: bytes = response.SerializeToString()
        return answer

    def _carry_out(self, request: api.Request, response: api.Response) -> None:
        name = request.WhichOneof("request")
        if name is None or name not in self._rules:
            response.error.append(f"Unknown request: {name or 'none is set'}")
            return
        rule = self._rules[name]
        try:
            if self.status not in rule.statuses:
                raise Refused(rule.after_the_end if self.status == ENDED else NO_GAME)
            part = getattr(response, name)
            part.SetInParent()  # an answer without content is an answer
            rule.answer(self, getattr(request, name), part)
        except TerrariumError as error:
            response.ClearField(name)
            response.error.append(str(error))
        except Exception as error:  # one mistake of ours must not end a game
            logger.exception("The request %s failed.", name)
            self.n_faults += 1
            response.ClearField(name)
            response.error.append(f"The server made a mistake: {type(error).__name__}")
