"""What a viewer draws of the types of a whole game, and what their products are called."""

from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.replay.games.game_frames import ThingType
from terrarium.replay.sampler import unit_type


def thing_types(sim: Simulator, facts: RuleSet) -> tuple[ThingType, ...]:
    """All types of the rules, by their rows."""
    categories = {unit.known_as: (unit.race, unit.cost_category) for unit in facts.units.values()}
    return tuple(_thing_type(sim, row, *categories[name]) for row, name in enumerate(sim.names))


def product_names(sim: Simulator) -> tuple[str, ...]:
    """What each product makes: a unit or an upgrade."""
    upgrades = list(sim.known.upgrades)
    return tuple(
        sim.names[product["makes"]] if product["makes"] >= 0 else upgrades[product["upgrade"]]
        for product in sim.rules.products
        if product["by"] >= 0
    )


def _thing_type(sim: Simulator, row: int, race: str, category: str) -> ThingType:
    numbers, shown = sim.rules.types[row], unit_type(sim, row)
    width = height = 0
    if numbers["footprint"] >= 0:
        footprint = sim.rules.footprints[numbers["footprint"]]
        width, height = int(footprint["width"]), int(footprint["height"])
    return ThingType(
        name=shown.name,
        race=race,
        radius=shown.radius,
        hp=shown.hp,
        shield=shown.shield,
        energy=shown.energy,
        reach=shown.reach,
        sight=shown.sight,
        flying=shown.flying,
        burrowed=shown.burrowed,
        form_of=shown.form_of,
        cargo=shown.cargo,
        role=_role(sim, row, category),
        width=width,
        height=height,
        value=float(numbers["minerals"] + numbers["vespene"]),
    )


def _role(sim: Simulator, row: int, category: str) -> str:
    numbers = sim.rules.types[row]
    if numbers["resource"] == codes.MINERALS:
        return "minerals"
    if numbers["resource"] == codes.VESPENE and category == "none":
        return "vespene"
    if numbers["townhall"]:
        return "townhall"
    if numbers["structure"]:
        return "structure"
    if numbers["worker"]:
        return "worker"
    return "army" if category == "army" and numbers["supply_used"] > 0.0 else "other"
