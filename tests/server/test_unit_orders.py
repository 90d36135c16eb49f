"""What units do, as the API says it."""

from terrarium.engine import codes
from terrarium.server.translate.ids import Ids
from terrarium.server.translate.unit_orders import OrderEntry, unit_orders
from tests.engine.economy.bases import Base


def listed(base: Base, slot: int) -> list[OrderEntry]:
    return list(unit_orders(base.sim, Ids(base.sim), 0, slot))


def test_workers_gather_from_the_first_loop_on() -> None:
    base = Base()
    worker = base.workers()[0]
    (order,) = listed(base, worker)
    field = base.sim.games.orders["tag"][0, worker, 0]
    assert order == OrderEntry(295, tag=int(field))


def test_workers_with_cargo_are_on_their_way_to_the_townhall() -> None:
    base = Base()
    for _ in range(300):
        base.sim.step(1)
        if (base.sim.games.workers["phase"][0] == codes.RETURNING).any():
            break
    worker = int((base.sim.games.workers["phase"][0] == codes.RETURNING).argmax())
    (order,) = listed(base, worker)
    assert order.ability == 296
    assert order.tag in {int(base.sim.units["tag"][0, base.mine(k)[0]]) for k in (1, 2)}


def test_orders_for_points_are_cut_to_the_games_fixed_point() -> None:
    base = Base()
    worker = base.workers()[0]
    base.sim.order(0, worker, codes.MOVE, (16.3, 16.7))
    base.sim.order(0, worker, codes.HOLD, queued=True)
    base.sim.step(0)
    moving, holding = listed(base, worker)
    assert moving == OrderEntry(16, point=(int(16.3 * 4096) / 4096, int(16.7 * 4096) / 4096))
    assert holding == OrderEntry(18)


def test_queues_show_what_is_made_and_how_far_it_is() -> None:
    base = Base()
    base.enrich()
    hall = base.mine()[0]
    for _ in range(2):
        base.sim.produce(0, hall, "scv")
    base.sim.step(137)
    first, second = listed(base, hall)
    assert (first.ability, second.ability) == (524, 524)
    assert 0.45 < first.progress < 0.55
    assert second.progress == 0.0


def test_builders_show_what_they_build() -> None:
    base = Base()
    base.enrich()
    worker, hall = base.workers()[0], base.mine()[0]
    x, y = (float(base.sim.units[c][0, hall]) for c in ("x", "y"))
    base.sim.build(0, worker, "supply_depot", (x, y + 6))
    base.sim.step(1)
    (order,) = listed(base, worker)
    assert order.ability == 319
    assert order.point is not None
    while not base.count("supply_depot"):
        base.sim.step(1)
    base.sim.step(2)
    (order,) = listed(base, worker)
    assert order.ability == 319
