"""Extra supplies, which an Orbital Command drops on a depot."""

from tests.engine.economy.bases import Base


def test_extra_supplies_stay_with_their_depot() -> None:
    """8 supply, 64 loops after the call, once for each depot; lowered, it keeps them."""
    base = Base("flat_64").without_workers()
    sim, hall = base.sim, base.mine()[0]
    orbital = sim.create(0, "orbital_command", 1, 20.0, 20.0)
    depot = sim.place(0, "supply_depot", 1, 40.0, 40.0)
    sim.units["energy"][0, orbital] = 200.0
    sim.step(1)
    cap = float(sim.games.accounts["supply_cap"][0, 1])
    sim.use(0, orbital, "supply_drop", target=depot)
    sim.step(63)
    assert sim.answer(0, orbital) == "Success"
    assert sim.games.accounts["supply_cap"][0, 1] == cap
    sim.step(4)
    assert sim.games.accounts["supply_cap"][0, 1] == cap + 8.0
    sim.use(0, orbital, "supply_drop", target=hall)
    sim.step(1)
    assert sim.answer(0, orbital) == "CantTargetThatUnit"
    sim.use(0, orbital, "supply_drop", target=depot)
    sim.step(80)
    assert sim.games.accounts["supply_cap"][0, 1] == cap + 8.0
    sim.use(0, depot, "lower_supply_depot")
    sim.step(40)
    assert sim.games.accounts["supply_cap"][0, 1] == cap + 8.0
    sim.units["hp"][0, depot] = 0.0
    sim.step(2)
    assert sim.games.accounts["supply_cap"][0, 1] == cap - 8.0
