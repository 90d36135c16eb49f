"""Rally points: where new units leave their producer, and what they do then."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.resources import may_gather
from terrarium.engine.kernels.economy.work import changes_form
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.orders.orders import go_to_point, order_on_unit
from terrarium.engine.state import Game, is_unit


@kernel
def set_rally(game: Game, u: int, v: int, x: float, y: float) -> int:
    """New units go to a point, follow a unit, or gather from a resource; on itself: nowhere.

    Hatcheries send their workers to resources, and others to all else.
    """
    row = game.rules.types[game.units[u].kind]
    if not row.structure and not changes_form(game, u):
        return codes.NOT_SUPPORTED
    on_resource = v >= 0 and game.rules.types[game.units[v].kind].resource != codes.NO_RESOURCE
    if not row.breeds or not on_resource or v == u:
        write_rally(game, u, codes.OF_UNITS, v, x, y)
    if not row.breeds or on_resource or v == u:
        write_rally(game, u, codes.OF_WORKERS, v, x, y)
    return codes.SUCCESS


@kernel
def set_worker_rally(game: Game, u: int, v: int, x: float, y: float) -> int:
    """The same for the workers of a townhall alone."""
    if not game.rules.types[game.units[u].kind].townhall:
        return codes.NOT_SUPPORTED
    write_rally(game, u, codes.OF_WORKERS, v, x, y)
    return codes.SUCCESS


@kernel
def write_rally(game: Game, u: int, k: int, v: int, x: float, y: float) -> None:
    producer = game.producers[u]
    producer.rally[k], producer.rally_x[k], producer.rally_y[k] = codes.RALLY_POINT, x, y
    producer.rally_target[k], producer.rally_tag[k] = codes.NO_UNIT, 0
    if v == u:
        producer.rally[k] = codes.NO_RALLY
    elif v >= 0:
        producer.rally[k], producer.rally_target[k] = codes.RALLY_UNIT, v
        producer.rally_tag[k] = game.units[v].tag
        producer.rally_x[k], producer.rally_y[k] = game.units[v].x, game.units[v].y


@kernel
def rally_of(game: Game, kind: int) -> int:
    return codes.OF_WORKERS if game.rules.types[kind].worker else codes.OF_UNITS


@kernel
def exit_of(game: Game, u: int, kind: int) -> tuple[float, float]:
    """Where a unit leaves its producer: on the side of the rally point, or below."""
    me, producer, k = game.units[u], game.producers[u], rally_of(game, kind)
    dx, dy = 0.0, -1.0
    if producer.rally[k] != codes.NO_RALLY:
        to_x, to_y = producer.rally_x[k] - me.x, producer.rally_y[k] - me.y
        distance = length(to_x, to_y)
        if distance > 1e-9:
            dx, dy = to_x / distance, to_y / distance
    out = game.rules.types[me.kind].radius + game.rules.types[kind].radius
    return me.x + dx * out, me.y + dy * out


@kernel
def send_off(game: Game, u: int, v: int) -> None:
    """Give a new unit the order that the rally point of its producer means."""
    producer, k = game.producers[u], rally_of(game, game.units[v].kind)
    if producer.rally[k] == codes.NO_RALLY:
        return
    target = producer.rally_target[k]
    if producer.rally[k] == codes.RALLY_UNIT and is_unit(game, target, producer.rally_tag[k]):
        if game.rules.types[game.units[v].kind].worker and may_gather(game, v, target):
            order_on_unit(game, v, codes.GATHER, target, False)
            return
        if game.rules.types[game.units[target].kind].resource == codes.NO_RESOURCE:
            order_on_unit(game, v, codes.FOLLOW, target, False)
            return
    go_to_point(game, v, codes.MOVE, producer.rally_x[k], producer.rally_y[k], False)
