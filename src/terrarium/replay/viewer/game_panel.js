/* What is known of a unit, a structure or a resource of a whole game, in words. */

const ENDLESS = 10000; // life that the game's interface gives to what cannot be hurt

class GamePanel extends Panel {
  show(slot, tick) {
    const { battle: game } = this, k = game.sampleAt(tick);
    $("panel").hidden = slot === NO_UNIT || game.born[slot] > k;
    if ($("panel").hidden) return;
    const lives = game.isThere(slot, k), when = lives ? k : game.ended[slot] - 1;
    const unit = game.unit(slot, when, lives ? tick : game.ticks[when]), type = game.types[unit.kind];
    $("panel").style.setProperty("--side", unit.side ? `var(--player${unit.side})` : "var(--neutral)");
    $("unit-name").textContent = type.title;
    const owner = unit.side ? game.players[unit.side - 1].name : "neutral";
    $("unit-slot").textContent = `#${slot} · ${owner}${lives ? "" : " · gone"}`;
    const isResource = type.role === "minerals" || type.role === "vespene";
    showBar("hp", unit.hp, isResource || unit.hpMax >= ENDLESS ? 0 : unit.hpMax);
    showBar("shield", unit.shield, type.shield);
    showBar("energy", unit.energy, type.energy);
    const contents = Math.round(game.line("contents", slot, when, tick));
    showLine("contents", contents || isResource ? contents.toLocaleString("en") : "");
    showLine("order", isResource ? "" : lives ? this.doing(unit, tick, k) : this.fate(slot, tick));
    $("unit-order-name").textContent = lives ? "Order" : "Fate";
    showLine("state", lives && unit.side ? this.state(unit, tick) : "");
    showLine("cargo", this.cargo(slot, k));
    showLine("range", type.reach ? `${round(type.reach)} · sight ${round(type.sight)}` : "");
    $("unit-place").textContent = `(${unit.x.toFixed(1)}, ${unit.y.toFixed(1)})`;
    this.showMaking(unit, lives, k, tick);
  }

  /** Construction, and the queue of what is made. */
  showMaking(unit, lives, k, tick) {
    const entries = lives ? this.battle.making(unit.slot, k, tick) : [];
    if (lives && unit.flags & UNFINISHED) entries.unshift({ title: "Construction", share: this.battle.built(unit.slot, k, tick) });
    $("unit-making").replaceChildren(...entries.map(({ title, share }) => progressLine(title, share)));
    $("unit-making").hidden = !entries.length;
  }

  line(slot, tick) {
    const { battle: game } = this, unit = game.unit(slot, game.sampleAt(tick), tick), type = game.types[unit.kind];
    const owner = unit.side ? game.players[unit.side - 1].name : "";
    const contents = type.role === "minerals" || type.role === "vespene";
    const life = contents ? `${Math.round(game.line("contents", slot, game.sampleAt(tick), tick)).toLocaleString("en")} left` : points(unit.hp, unit.hpMax);
    return [type.title, owner, life, unit.side ? this.state(unit, tick) : ""].filter(Boolean).join(" · ");
  }

  state(unit, tick) {
    const carries = unit.flags & MINERALS ? "carries minerals" : unit.flags & VESPENE ? "carries vespene" : "";
    return [carries, super.state(unit, tick)].filter(Boolean).join(", ");
  }

  doing(unit, tick, k) {
    if (unit.flags & UNFINISHED) return "under construction";
    const text = super.doing(unit, tick, k);
    return text === "none" ? "idle" : text;
  }

  fate(slot, tick) {
    const text = super.fate(slot, tick);
    return text === "none" ? "used up" : text;
  }
}

/** A title with a bar; what waits has none. */
function progressLine(title, share) {
  const line = document.createElement("li"), name = document.createElement("span"), part = document.createElement("small"), bar = document.createElement("i");
  name.textContent = title;
  part.textContent = share === null ? "waits" : `${Math.floor(100 * share)} %`;
  bar.style.setProperty("--share", `${100 * (share ?? 0)}%`);
  line.append(name, part, bar);
  return line;
}
