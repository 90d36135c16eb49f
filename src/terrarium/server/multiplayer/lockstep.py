"""Lockstep: several servers compute the same game, and exchange only what players put in.

Each client grants the game to run up to a loop, and says with it what its player puts in before.
The game runs to the lowest of the grants. No game is further than a client's last grant, so what
comes with its next one reaches every server in time, and counts from the same loop on.
"""

from collections.abc import Mapping, Sequence

from terrarium.server.inputs import Inputs
from terrarium.server.live_game import LiveGame
from terrarium.server.multiplayer.frames import Kind, PeerError
from terrarium.server.multiplayer.grants import (
    FURTHEST_LOOP,
    NO_CHECK,
    Grant,
    check_value,
    pack_grant,
    unpack_grant,
)
from terrarium.server.multiplayer.links import Link
from terrarium.server.session import Refused, Session

CHECK_LOOPS = 224
"""between two comparisons of the games of all servers: ten seconds"""
END_SECONDS = 2.0
"""How long a server that has reached the end waits for the others: clients kill all servers as soon
as one of them has a result."""
LEAVE_SECONDS = 3.0
"""How long a server whose client leaves waits for the other clients to leave as well."""
LOOPS_AHEAD = 1
"""What is put in counts one loop later than in a game of one client (sc2api.md, 11)."""


class Lockstep:
    """The pace of one game, as its server keeps it. Methods are called with the session's lock
    held."""

    def __init__(
        self, session: Session, game: LiveGame, client: int, players: Sequence[int]
    ) -> None:
        """`client`: whose server this is, 0 = the host; `players`: of each client, 0 = observer."""
        self._session, self._game, self._me = session, game, client
        self._players = tuple(players)
        self._links: dict[int, Link] = {}
        self._granted = dict.fromkeys(range(len(players)), 0)
        self._gone: set[int] = set()
        """have left the game"""
        self._lost: set[int] = set()
        """have no server any more"""
        self._quitting: set[int] = set()
        self._done: set[int] = set()
        self._checks: dict[int, int] = {}
        self._their_checks: dict[int, int] = {}
        self._latest = (NO_CHECK, 0)
        self._trouble = ""
        game.pace, game.delay = self, LOOPS_AHEAD

    def connect(self, links: Mapping[int, Link]) -> None:
        """By the client whose server is at the other end; the host has one to each, others have
        one to the host."""
        self._links = dict(links)

    # What this server's client does.

    def step(self, inputs: Inputs, n_loops: int) -> None:
        """Grant some loops with what the client has put in, and go on with the others."""
        self._go_to(self._granted[self._me])  # an earlier client may have left in the middle
        if self._game.ended:
            self._end_together()
            return
        since = self._granted[self._me]
        grant = Grant(self._me, since, since + n_loops, inputs, *self._latest)
        self._tell(Kind.GRANT, pack_grant(grant))
        self._take(grant)
        self._go_to(grant.until)
        if self._game.ended:
            self._end_together()

    def leave(self) -> None:
        """Tell the others, and give them the time to leave as well: burnysc2 kills all servers as
        soon as the first client is done, before the others have saved their replays."""
        self._trouble = "the game has been left"
        self._tell(Kind.GONE, bytes([self._me]))
        self._wait_for_others(self._gone)

    def quit(self) -> None:
        """End with the other servers, so that each client has its answer."""
        self._tell(Kind.QUITS, bytes([self._me]))
        self._wait_for_others(self._quitting)
        self.close()

    def close(self) -> None:
        """End the links."""
        for link in self._links.values():
            link.close()

    def _wait_for_others(self, ready: set[int]) -> None:
        """Those whose servers are gone are not waited for."""
        others = set(range(len(self._players))) - {self._me}
        self._session.changed.wait_for(lambda: others <= ready | self._lost, LEAVE_SECONDS)

    def _go_to(self, loop: int) -> None:
        game, session = self._game, self._session
        while game.loop < loop and not game.ended:
            if self._trouble:
                raise Refused(self._trouble)
            until = min(self._granted.values())
            if until > game.loop:
                self._run(min(until, loop))
            elif game.realtime:
                session.changed.wait(0.5)
            else:
                session.wait(0.5)

    def _run(self, until: int) -> None:
        game = self._game
        while game.loop < until and not game.ended:
            game.run_to(min(until, (game.loop // CHECK_LOOPS + 1) * CHECK_LOOPS))
            if game.loop % CHECK_LOOPS == 0 and not game.ended:
                self._latest = (game.loop, check_value(game.sim))
                self._checks = {game.loop: self._latest[1]}
                self._compare()

    def _tell(self, kind: Kind, payload: bytes) -> None:
        for client, link in self._links.items():
            if client not in self._lost:
                link.send(kind, payload)

    def _end_together(self) -> None:
        """All servers have the result before a client reads it; who is out of a game that others go
        on with waits for nobody."""
        self._done.add(self._me)
        self._tell(Kind.DONE, bytes([self._me]))
        if not self._game.is_over:
            return
        self._session.changed.wait_for(
            lambda: len(self._done | self._gone) == len(self._players), END_SECONDS
        )

    # What other servers say.

    def deliver(self, origin: int, kind: Kind, payload: bytes) -> None:
        """A frame from the server at the other end of a link."""
        if not payload:
            raise PeerError("a frame ends too early")
        client = payload[0]
        speaks = client == origin if self._me == 0 else client != self._me
        if client >= len(self._players) or not speaks:
            raise PeerError("a server speaks for a client of another one")
        if kind == Kind.GRANT:
            grant = unpack_grant(payload, self._game.sim, self._players[client])
            if client in self._gone or grant.since != self._granted[client]:
                raise PeerError("a grant does not go on from the one before")
            self._take(grant)
        elif kind == Kind.GONE:
            self._drop(client)
        elif kind == Kind.DONE:
            self._done.add(client)
            # Its player is out, and stops nobody; where the game is over, it ends before.
            self._granted[client] = FURTHEST_LOOP
        elif kind == Kind.QUITS:
            self._quitting.add(client)
        if self._me == 0:
            for other, link in self._links.items():
                if other != origin and other not in self._lost:
                    link.send(kind, payload)

    def lose(self, origin: int) -> None:
        """The link to another server has ended."""
        if self._me != 0:  # the host is gone, and with it the way to everybody else
            for client in range(len(self._players)):
                if client != self._me:
                    self._lost.add(client)
                    self._drop(client)
            return
        self._lost.add(origin)
        self._drop(origin)
        self._tell(Kind.GONE, bytes([origin]))

    def _take(self, grant: Grant) -> None:
        player = self._players[grant.client]
        self._game.schedule(grant.since + LOOPS_AHEAD, player, grant.inputs)
        self._granted[grant.client] = grant.until
        if grant.check_loop != NO_CHECK and grant.client != self._me:
            self._their_checks[grant.check_loop] = grant.check
            self._compare()

    def _compare(self) -> None:
        """Do all servers have the same game? Only the last comparison of each is looked at."""
        for loop in sorted(self._their_checks):
            if loop in self._checks and self._checks[loop] != self._their_checks[loop]:
                self._trouble = f"The servers of this game do not agree about it at loop {loop}"
            if self._checks and loop <= max(self._checks):
                del self._their_checks[loop]

    def _drop(self, client: int) -> None:
        """A client that is gone gives up where its last grant ends, and stops nobody."""
        if client in self._gone:
            return
        self._gone.add(client)
        inputs = Inputs(gives_up=True)
        self._game.schedule(self._granted[client], self._players[client], inputs)
        self._granted[client] = FURTHEST_LOOP
