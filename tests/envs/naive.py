"""SMAC's contract once more, slowly and from the facts: the twin of the kernels."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.facts.forms import agent_type
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.envs.vector import VecEnv

# reference/smac.md, 4, 5 and 11
TYPE_BITS = {
    "stalkers_and_zealots": (["stalker", "zealot"], ["zealot", "stalker"]),
    "colossi_stalkers_zealots": (["colossus", "stalker", "zealot"],) * 2,
    "MMM": (["marauder", "marine", "medivac"],) * 2,
    "bane": (["baneling", "zergling"],) * 2,
    "protoss_gen": (["stalker", "zealot", "colossus"],) * 2,
    "terran_gen": (["marine", "marauder", "medivac"],) * 2,
    "zerg_gen": (["zergling", "hydralisk", "baneling"],) * 2,
}
COOLDOWNS = {
    "marine": 15,
    "marauder": 25,
    "stalker": 35,
    "zealot": 22,
    "colossus": 24,
    "hydralisk": 10,
    "zergling": 11,
    "baneling": 1,
}
V2_RANGES = {
    "stalker": (10, 6),
    "zealot": (9, 2),
    "colossus": (10, 7),
    "zergling": (8, 2),
    "baneling": (8, 2),
    "hydralisk": (9, 5),
    "marine": (9, 5),
    "marauder": (10, 6),
    "medivac": (11, 4),
}


class NaiveSmac:
    """What SMAC would say of one battle of a vector environment."""

    def __init__(self, env: VecEnv, e: int = 0) -> None:
        self.env, self.e = env, e
        self.scenario, self.options = env.scenario, env.options
        self.rules = load_ruleset(self.scenario.rules)
        self.facts = self.rules.units
        smac = self.scenario.smac
        assert smac is not None
        self.smac = smac
        bits = TYPE_BITS.get(smac.map_type, ([], []))
        self.bits = bits if self.options.exact else (bits[0], bits[0])
        self.later = self.scenario.generator is not None
        self.n_agents, self.n_enemies = env.info.n_agents, env.info.n_enemies
        self.n_actions = env.info.n_actions
        self.first = 6 + (self.options.num_fov_actions if self.options.conic_fov else 0)

    # -- units -------------------------------------------------------------------------------

    def unit(self, m: int) -> Any:
        unit = self.env.sim.units[self.e, self.env.member_slots[self.e, m]]
        if self.options.exact:  # what the messages of the game's API hold
            unit = unit.copy()
            for name in ("x", "y", "hp", "shield", "energy", "cooldown"):
                unit[name] = np.float32(unit[name])
        return unit

    def name(self, m: int) -> str:
        return self.env.sim.names[int(self.unit(m)["kind"])]

    def type_of(self, m: int) -> Any:
        """A member's facts: agents may have bodies of their own."""
        name = self.name(m)
        return self.facts[agent_type(self.rules, name) if m < self.n_agents else name]

    def alive(self, m: int) -> bool:
        return bool(self.unit(m)["alive"])

    def distance(self, a: int, m: int) -> float:
        me, you = self.unit(a), self.unit(m)
        return math.sqrt((you["x"] - me["x"]) ** 2 + (you["y"] - me["y"]) ** 2)

    def sight(self, a: int) -> float:
        return V2_RANGES[self.name(a)][0] if self.options.use_unit_ranges else 9.0

    def shoot(self, a: int) -> float:
        return V2_RANGES[self.name(a)][1] if self.options.use_unit_ranges else 6.0

    def sees(self, a: int, m: int) -> bool:
        return self.alive(m) and self.distance(a, m) < self.sight(a)

    # -- actions -----------------------------------------------------------------------------

    def walkable(self, x: float, y: float) -> bool:
        x, y = int(x), int(y)
        inside = 0 <= x < 32 and 0 <= y < 32
        return bool(inside and self.scenario.terrain.walkable[y, x])

    def avail(self, a: int) -> list[int]:
        mask = [0] * self.n_actions
        if not self.alive(a):
            mask[0] = 1
            return mask
        x, y = float(self.unit(a)["x"]), float(self.unit(a)["y"])
        ahead = self.options.move_amount / 2
        mask[1] = 1
        places = [(x, y + ahead), (x, y - ahead), (x + ahead, y), (x - ahead, y)]
        mask[2:6] = [int(self.walkable(*place)) for place in places]
        if self.name(a) == "medivac":
            for k in range(self.n_agents):
                fine = self.alive(k) and self.name(k) != "medivac"
                mask[self.first + k] = int(fine and self.distance(a, k) <= self.shoot(a))
        else:
            for k in range(self.n_enemies):
                m = self.n_agents + k
                near = self.distance(a, m) <= self.shoot(a)
                mask[self.first + k] = int(self.alive(m) and near)
        return mask

    # -- observation -------------------------------------------------------------------------

    def life(self, m: int, race: str) -> list[float]:
        facts, unit = self.type_of(m), self.unit(m)
        shown = [unit["hp"] / facts.hp]
        if race == "Protoss":
            shown.append(unit["shield"] / facts.shields)
        return shown

    def type_bits(self, m: int, names: list[str]) -> list[float]:
        return [float(name == self.name(m)) for name in names]

    def place(self, a: int, m: int) -> list[float]:
        me, you, sight = self.unit(a), self.unit(m), self.sight(a)
        return [
            self.distance(a, m) / sight,
            (you["x"] - me["x"]) / sight,
            (you["y"] - me["y"]) / sight,
        ]

    def around(self, a: int) -> list[tuple[int, int]]:
        x, y, m = int(self.unit(a)["x"]), int(self.unit(a)["y"]), int(self.options.move_amount)
        straight = [(x, y + 2 * m), (x, y - 2 * m), (x + 2 * m, y), (x - 2 * m, y)]
        slanted = [(x + m, y + m), (x - m, y - m), (x + m, y - m), (x - m, y + m)]
        return straight + slanted

    def pathing(self, a: int) -> list[float]:
        inside = [(0 <= x < 32 and 0 <= y < 32) for x, y in self.around(a)]
        grid = self.scenario.terrain.walkable
        return [
            float(grid[y, x]) if fine else 1.0
            for fine, (x, y) in zip(inside, self.around(a), strict=True)
        ]

    def heights(self, a: int) -> list[float]:
        z = self.scenario.terrain.z
        z = np.where(np.isnan(z), np.nanmin(z), z)
        own = (int(self.unit(a)["x"]), int(self.unit(a)["y"]))
        shown = []
        for x, y in [*self.around(a), own]:
            if not (0 <= x < 32 and 0 <= y < 32):
                shown.append(1.0)
                continue
            row = 31 - y if self.options.exact else y
            shown.append(round(z[row, x] * 8 + 127) / 255)
        return shown

    def obs(self, a: int, steps: int, last_actions: NDArray[np.int64] | None) -> list[float]:
        """The blocks in SMAC's order, put together from lists."""
        o = self.options
        time = [steps / self.scenario.limit_steps] if o.obs_timestep_number else []
        spare = [0.0] if time and o.exact and not self.later else []
        if not self.alive(a):
            return [0.0] * (self.env.info.obs_width - len(time)) + time
        mask = self.avail(a)
        row = [float(value) for value in mask[2:6]]
        if o.obs_pathing_grid:
            row += self.pathing(a)
        if o.obs_terrain_height:
            row += self.heights(a)
        for k in range(self.n_enemies):
            m = self.n_agents + k
            heals = self.name(a) == "medivac"
            target = float(mask[self.first + k]) if o.exact or not heals else 0.0
            shown = [target, *self.place(a, m)]
            if o.obs_all_health:
                shown += self.life(m, self.smac.enemy_race)
            shown += self.type_bits(m, self.bits[1])
            row += shown if self.sees(a, m) else [0.0] * len(shown)
        for other in range(self.n_agents):
            if other == a:
                continue
            shown = [1.0, *self.place(a, other)]
            if o.obs_all_health:
                shown += self.life(other, self.smac.ally_race)
            shown += self.type_bits(other, self.bits[0])
            if o.obs_last_action:
                last = None if last_actions is None else last_actions[other]
                shown += [float(i == last) for i in range(self.n_actions)]
            row += shown if self.sees(a, other) else [0.0] * len(shown)
        if o.obs_own_health or o.obs_all_health:
            row += self.life(a, self.smac.ally_race)
        if o.obs_own_pos:
            row += [self.unit(a)["x"] / 32, self.unit(a)["y"] / 32]
        return row + self.type_bits(a, self.bits[0]) + spare + time

    # -- state -------------------------------------------------------------------------------

    def body(self, m: int) -> list[float]:
        return [(self.unit(m)["x"] - 16) / 28, (self.unit(m)["y"] - 16) / 28]

    def state(self, steps: int, last_actions: NDArray[np.int64] | None) -> list[float]:
        o, row = self.options, list[float]()
        for a in range(self.n_agents):
            name, unit = self.name(a), self.unit(a)
            life = self.life(a, self.smac.ally_race)
            if name == "medivac":
                second = unit["energy"] / 200
            elif o.exact:
                second = max(unit["cooldown"], 0.0) / COOLDOWNS.get(name, 15)
            else:
                full = max(
                    w.cooldown_loops + w.cooldown_random_loops[1] for w in self.type_of(a).weapons
                )
                full = max(full, 1.0)
                second = min(max(unit["cooldown"], 0.0) / full, 1.0)
            shown = [life[0], second, *self.body(a), *life[1:], *self.type_bits(a, self.bits[0])]
            row += shown if self.alive(a) else [0.0] * len(shown)
        for m in range(self.n_agents, self.n_agents + self.n_enemies):
            life = self.life(m, self.smac.enemy_race)
            shown = [life[0], *self.body(m), *life[1:], *self.type_bits(m, self.bits[1])]
            row += shown if self.alive(m) else [0.0] * len(shown)
        if o.state_last_action:
            for a in range(self.n_agents):
                last = None if last_actions is None else last_actions[a]
                row += [float(i == last) for i in range(self.n_actions)]
        if o.state_timestep_number:
            row.append(steps / self.scenario.limit_steps)
        return row


class NaiveReward:
    """SMAC's reward and endings, from the units before and after each step."""

    def __init__(self, naive: NaiveSmac, best: float | None = None) -> None:
        self.naive = naive
        n, facts = naive, naive.facts
        self.before = [self.life(m) for m in range(n.n_agents + n.n_enemies)]
        self.counted = [False] * len(self.before)
        enemies = range(n.n_agents, len(self.before))
        worth = sum(facts[n.name(m)].hp + facts[n.name(m)].shields for m in enemies)
        own = 10 * n.n_enemies + 200 + worth
        self.best = own if best is None else best

    def life(self, m: int) -> float:
        unit = self.naive.unit(m)
        return float(unit["hp"] + unit["shield"]) if unit["alive"] else 0.0

    def step(self, steps: int) -> tuple[float, bool, bool, bool]:
        """Reward, terminated, truncated, won."""
        n, o = self.naive, self.naive.options
        hurt = deaths = suffered = 0.0
        for m, before in enumerate(self.before):
            if self.counted[m]:
                continue
            now = self.life(m)
            loss = before - now
            if not o.exact:
                now = min(now, before)
                loss = before - now
            self.before[m] = now
            died = not n.alive(m)
            self.counted[m] = died
            if m >= n.n_agents:
                hurt, deaths = hurt + loss, deaths + 10 * died
            else:
                suffered += 0.5 * loss
                if not o.reward_only_positive:
                    deaths -= 5 * died
        if not o.reward_only_positive:
            reward = hurt + deaths - suffered
        elif o.exact and not n.later:
            reward = abs(hurt + deaths)
        else:
            reward = max(hurt + deaths, 0.0)
        end = self.end()
        if o.reward_sparse:
            reward = float(end or 0)
        elif end == 1:
            reward += 200
        if o.reward_scale:
            reward /= self.best / 20
        timeout = end is None and steps >= n.scenario.limit_steps
        terminated = end is not None or (timeout and o.exact)
        truncated = timeout and (not o.exact or o.continuing_episode)
        return reward, terminated, truncated, end == 1

    def end(self) -> int | None:
        n = self.naive
        allies = [n.name(a) for a in range(n.n_agents) if n.alive(a)]
        members = range(n.n_agents, n.n_agents + n.n_enemies)
        enemies = [n.name(m) for m in members if n.alive(m)]
        ally_fighters = [name for name in allies if name != "medivac"]
        enemy_fighters = [name for name in enemies if name != "medivac"]
        if not n.options.exact:
            if ally_fighters and enemy_fighters:
                return None
            return bool(ally_fighters) - bool(enemy_fighters)
        medics = n.smac.map_type in ("MMM", "terran_gen")
        if (not allies and enemies) or (medics and not ally_fighters):
            return -1
        only_healers = not enemy_fighters if n.later else enemies == ["medivac"]
        if (allies and not enemies) or (medics and only_healers):
            return 1
        return 0 if not allies else None
