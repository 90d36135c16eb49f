"""What a viewer draws of the types of a whole game, and what their products are called."""

from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.maps.objects import object_types
from terrarium.engine.simulator import Simulator
from terrarium.replay.games.game_frames import ROLES, ThingType
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
        outline=_outline(shown.name),
    )


def _outline(name: str) -> tuple[tuple[float, float], ...]:
    """Around the cells of rocks and plates, counterclockwise."""
    kind = object_types().get(name)
    if kind is None or kind.kind not in ("destructible", "plates"):
        return ()
    left, low = kind.shape.width / 2, kind.shape.height / 2
    corners = {
        (x + dx - left, y + dy - low)
        for x, y in kind.shape.placement
        for dx in (0, 1)
        for dy in (0, 1)
    }
    below, above = _half(sorted(corners)), _half(sorted(corners, reverse=True))
    return (*below[:-1], *above[:-1])


def _half(corners: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The lower half of a convex outline, or the upper one of corners the other way round."""
    hull: list[tuple[float, float]] = []
    for x, y in corners:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _role(sim: Simulator, row: int, category: str) -> str:
    numbers, neutral = sim.rules.types[row], object_types().get(sim.names[row])
    if neutral is not None and neutral.kind in ROLES:
        return neutral.kind
    if numbers["townhall"]:
        return "townhall"
    if numbers["structure"]:
        return "structure"
    if numbers["worker"]:
        return "worker"
    return "army" if category == "army" and numbers["supply_used"] > 0.0 else "other"
