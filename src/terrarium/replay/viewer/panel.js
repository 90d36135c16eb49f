/* What is known of one unit, in words. */

const ORDERS = ["", "move", "attack", "attack-move", "stop", "hold position", "patrol", "follow", "smart", "heal", "use",
  "gather", "return cargo", "", "", "", "build", "construct"];
const BUILD_ORDER = 16;
const HAS_PLACE = [1, 2, 3, 6, 8, CAST_ORDER, BUILD_ORDER];
const STATES = [[CLOAKED, "cloaked"], [ROOTED, "cannot move"], [DISARMED, "cannot attack"], [SILENCED, "cannot cast"],
  [UNTOUCHABLE, "untouchable"], [LIFTED, "lifted"]];

class Panel {
  constructor(battle) {
    this.battle = battle;
  }

  show(slot, tick) {
    $("panel").hidden = slot === NO_UNIT;
    if (slot === NO_UNIT) return;
    const { battle } = this, k = battle.sampleAt(tick);
    const unit = battle.sample(slot, k), type = battle.types[unit.kind];
    const lives = unit.alive || unit.inside >= 0;
    $("panel").className = unit.side === 0 ? "ally" : "enemy";
    $("unit-name").textContent = type.title;
    $("unit-slot").textContent = `#${slot} · ${unit.side === 0 ? "ally" : "enemy"}${lives ? "" : " · fallen"}`;
    showBar("hp", unit.hp, lives ? unit.hpMax : type.hp);
    showBar("shield", unit.shield, type.shield);
    showBar("energy", unit.energy, type.energy);
    $("unit-order").textContent = lives ? this.doing(unit, tick, k) : this.fate(slot, tick);
    $("unit-order-name").textContent = lives ? "Order" : "Fate";
    $("unit-action").textContent = this.action(slot, tick, k);
    showLine("why", battle.reasonAt(slot, tick));
    showLine("state", lives ? this.state(unit, tick) : "");
    showLine("cargo", this.cargo(slot, k));
    $("unit-range").textContent = `${round(type.reach)} · sight ${round(type.sight)}`;
    $("unit-place").textContent = `(${unit.x.toFixed(1)}, ${unit.y.toFixed(1)})`;
  }

  /** A unit in a line: "Marine #3 · 45 / 55 · Stimpack · stim, 4 stalkers in reach". */
  line(slot, tick) {
    const { battle } = this, unit = battle.sample(slot, battle.sampleAt(tick)), type = battle.types[unit.kind];
    const parts = [`${type.title} #${slot}`, points(unit.hp, unit.hpMax)];
    if (type.shield > 0) parts.push(`shield ${points(unit.shield, type.shield)}`);
    if (type.energy > 0) parts.push(`energy ${points(unit.energy, type.energy)}`);
    return [...parts, this.state(unit, tick), battle.reasonAt(slot, tick)].filter(Boolean).join(" · ");
  }

  doing(unit, tick, k) {
    if (unit.inside >= 0) return `on board ${this.battle.nameOf(unit.inside, k)}`;
    const now = this.battle.spansAt(tick).find((s) => s.slot === unit.slot && !s.over && (s.what === "cast" || s.what === "morph"));
    if (now) return `${now.what === "cast" ? "casts" : "changes form:"} ${this.aimed(now.skill.title, now.target, now.x, now.y, k)}`;
    return this.orderText(unit.order, unit.orderTarget, unit.orderX, unit.orderY, unit.orderSkill, k);
  }

  action(slot, tick, k) {
    const action = this.battle.actionAt(slot, tick);
    if (!action) return "none";
    const text = this.orderText(action.order, action.target, action.x, action.y, action.skill, k);
    return `${text}${action.queued ? ", queued" : ""} (step ${action.step + 1})`;
  }

  /** "attack Zealot #7", "move to (12.3, 8.0)", "Psi Storm to (12.3, 8.0)". */
  orderText(order, target, x, y, skill, k) {
    const name = skill ? skill.title : ORDERS[order] || "none";
    return HAS_PLACE.includes(order) || target >= 0 ? this.aimed(name, target, x, y, k) : name;
  }

  aimed(name, target, x, y, k) {
    if (target >= 0) return `${name} ${this.battle.nameOf(target, k)}`;
    return x || y ? `${name} to (${x.toFixed(1)}, ${y.toFixed(1)})` : name; // abilities without an aim have no place
  }

  /** Its buffs with the seconds that they still last, and what it is or cannot do. */
  state(unit, tick) {
    const buffs = this.battle.spansAt(tick).filter((s) => s.what === "buff" && s.slot === unit.slot)
      .map((s) => (s.left === null ? s.skill.title : `${s.skill.title} ${((s.left * s.ticks) / TICKS_PER_S).toFixed(1)} s`));
    const states = STATES.filter(([bit]) => unit.flags & bit).map(([, word]) => word);
    return [...buffs, ...states].join(", ");
  }

  /** "4 Marine, 1 Marauder". */
  cargo(slot, k) {
    const counts = new Map();
    for (const u of this.battle.passengers(slot, k)) {
      const title = this.battle.titleOf(u, k);
      counts.set(title, (counts.get(title) ?? 0) + 1);
    }
    return [...counts].map(([title, n]) => `${n} ${title}`).join(", ");
  }

  /** By whom the unit was killed. */
  fate(slot, tick) {
    const death = this.battle.deaths.findLast((d) => d.slot === slot && d.tick <= tick);
    if (!death) return "none";
    const by = death.killer >= 0 ? ` by ${this.battle.nameOf(death.killer, this.battle.sampleAt(death.tick))}` : "";
    return `killed${by} at ${clock(death.tick, TICKS_PER_S)}`;
  }
}

function round(value) {
  return String(Math.round(value * 100) / 100);
}

/** Life in whole points; whoever lives has at least one. */
function points(value, most) {
  return `${value > 0 ? Math.max(1, Math.round(value)) : 0} / ${Math.round(most)}`;
}

function showBar(name, value, most) {
  const text = $(`unit-${name}`);
  text.parentElement.hidden = most <= 0;
  text.textContent = points(value, most);
  text.parentElement.style.setProperty("--share", `${(100 * value) / Math.max(1, most)}%`);
}

/** A line that is there only if it says something. */
function showLine(name, words) {
  $(`unit-${name}`).parentElement.hidden = !words;
  $(`unit-${name}`).textContent = words;
}
