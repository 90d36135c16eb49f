/* A whole game: knots become answers to "who, where, when". */

const UNFINISHED = 1, ATTACKING = 2, HEALING = 4, CLOAKED = 8, ROOTED = 16, DISARMED = 32, SILENCED = 64,
  UNTOUCHABLE = 128, LIFTED = 256, MINERALS = 512, VESPENE = 1024, SEEN_BY_ONE = 2048; // see FLAGS in game_frames.py
const CAST_ORDER = 10;
const STILL = 0.008; // cells a tick: slower than anything that walks
const KEYFRAME = 24; // layers of the ground are kept whole every so many changes

/** The course of one property of all units; `find` is fast for times that follow each other. */
class Knots {
  constructor(columns, name, fields, steps = 1) {
    const counts = columns[`${name}.count`];
    this.first = new Uint32Array(counts.length + 1);
    for (let life = 0; life < counts.length; life++) this.first[life + 1] = this.first[life] + counts[life];
    this.samples = columns[`${name}.sample`];
    this.fields = fields.map((field) => columns[`${name}.${field}`]);
    this.last = this.first.slice(0, -1); // where each unit was found the last time
    this.steps = steps;
  }

  /** The last knot of a unit that is not after a sample. */
  find(life, k) {
    const { samples, first } = this, end = first[life + 1];
    let i = this.last[life];
    if (samples[i] > k || (i + 1 < end && samples[i + 1] <= k)) {
      let low = first[life], high = end - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (samples[middle] <= k) low = middle; else high = middle - 1;
      }
      this.last[life] = i = low;
    }
    return i;
  }

  value(life, k, field = 0) {
    return this.fields[field][this.find(life, k)];
  }
}

/** Which cells are on, from time to time. */
class Layer {
  constructor(columns, name, nCells) {
    this.samples = columns[`${name}.sample`];
    this.nCells = nCells;
    this.runs = columns[`${name}.runs`];
    const counts = columns[`${name}.count`];
    this.first = new Uint32Array(counts.length + 1);
    for (let n = 0; n < counts.length; n++) this.first[n + 1] = this.first[n] + counts[n];
    this.cells = new Uint8Array(nCells);
    this.n = 0; // how many changes are in `cells`
    this.keyframes = [this.cells.slice()];
    this.everOn = new Uint16Array(nCells).fill(65535); // from which sample on a cell has ever been on
    for (let n = 0; n < this.samples.length; n++) {
      this.change(n);
      for (let i = 0; i < nCells; i++) if (this.cells[i] && this.everOn[i] === 65535) this.everOn[i] = this.samples[n];
      if ((n + 1) % KEYFRAME === 0) this.keyframes.push(this.cells.slice());
    }
    this.n = this.samples.length;
  }

  /** The cells at a sample; the array is the layer's own. */
  at(k) {
    const wanted = this.samples.length && this.samples[0] <= k ? lastNotAfter(this.samples, k) + 1 : 0;
    if (wanted < this.n || wanted > this.n + KEYFRAME) {
      const frame = Math.floor(wanted / KEYFRAME);
      this.cells.set(this.keyframes[frame]);
      this.n = frame * KEYFRAME;
    }
    while (this.n < wanted) this.change(this.n++);
    return this.cells;
  }

  change(n) {
    const { cells, runs } = this;
    let at = 0;
    for (let r = this.first[n], on = false; r < this.first[n + 1]; r++, on = !on) {
      if (on) for (let i = at; i < at + runs[r]; i++) cells[i] ^= 1;
      at += runs[r];
    }
  }
}

class Game {
  constructor(header, columns) {
    Object.assign(this, header); // about, types, map, result, fights
    this.columns = columns;
    this.ticks = runningSums(columns["samples.ticks"]);
    this.nSamples = this.ticks.length;
    this.firstTick = this.ticks[0];
    this.lastTick = this.ticks[this.nSamples - 1];
    this.born = columns["lives.born"];
    this.ended = columns["lives.ended"];
    this.nUnits = this.born.length;
    this.knots = {};
    for (const [name, [fields, steps]] of Object.entries(header.lines)) this.knots[name] = new Knots(columns, name, fields, steps);
    for (const [name, fields] of Object.entries(header.steps)) this.knots[name] = new Knots(columns, name, fields);
    const nCells = this.map.width * this.map.height;
    this.creep = columns["creep.sample"].length ? new Layer(columns, "creep", nCells) : null;
    this.sights = Array.from({ length: header.nSights }, (_, k) => new Layer(columns, `sight${k}`, nCells));
    this.spans = readSpans(this, columns, (place) => place / this.placeSteps);
    this.deaths = this.readDeaths();
    this.curveTicks = Array.from(columns["curves.sample"], (k) => this.ticks[k]);
    this.players = this.about.players.map((name, k) => ({ name, race: this.about.races[k] ?? "", owner: k + 1 }));
    this.researched = Array.from(columns["researched.upgrade"], (upgrade, i) => ({
      title: this.upgrades[upgrade], owner: columns["researched.player"][i], tick: this.ticks[columns["researched.sample"][i]],
    }));
  }

  readDeaths() {
    const c = this.columns;
    return Array.from(c["losses.unit"], (slot, i) => {
      const k = Math.max(this.born[slot], c["losses.sample"][i] - 1), [x, y] = this.placeAt(slot, k, this.ticks[k]);
      return { slot, x, y, tick: this.ticks[c["losses.sample"][i]], killer: c["losses.killer"][i] - 1,
        kind: this.knots.kind.value(slot, k), side: this.knots.owner.value(slot, k) };
    });
  }

  sampleAt(tick) {
    return lastNotAfter(this.ticks, tick);
  }

  isThere(life, k) {
    return this.born[life] <= k && k < this.ended[life];
  }

  /** A value between two knots, in the game's units. */
  line(name, life, k, tick, field = 0) {
    const knots = this.knots[name], i = knots.find(life, k), values = knots.fields[field];
    if (i + 1 >= knots.first[life + 1]) return values[i] / knots.steps;
    const from = this.ticks[knots.samples[i]], to = this.ticks[knots.samples[i + 1]];
    return (values[i] + (values[i + 1] - values[i]) * Math.min(1, (tick - from) / (to - from))) / knots.steps;
  }

  placeAt(life, k, tick) {
    return [this.line("place", life, k, tick, 0), this.line("place", life, k, tick, 1)];
  }

  /** All that is known of a unit at a time. */
  unit(life, k, tick) {
    const { knots } = this, order = knots.order, o = order.find(life, k), scale = this.placeSteps;
    const [x, y] = this.placeAt(life, k, tick);
    return {
      slot: life, x, y, alive: true,
      kind: knots.kind.value(life, k),
      side: knots.owner.value(life, k),
      flags: knots.flags.value(life, k),
      hp: this.line("hp", life, k, tick),
      hpMax: Math.max(1, knots.hp_max.value(life, k)) / knots.hp.steps,
      shield: this.line("shield", life, k, tick),
      energy: this.line("energy", life, k, tick),
      target: knots.aim.value(life, k) - 1,
      inside: knots.inside.value(life, k) - 1,
      facing: 0,
      order: order.fields[0][o],
      orderSkill: this.skillOf(order.fields[0][o], order.fields[1][o] - 1),
      orderTarget: order.fields[2][o] - 1,
      orderX: order.fields[3][o] / scale,
      orderY: order.fields[4][o] / scale,
    };
  }

  /** What an order is about: an ability, or what is to be built. */
  skillOf(order, row) {
    if (order !== BUILD_ORDER) return this.skills[row];
    return { name: "build", title: `build ${this.products[row]}`, radius: 0 };
  }

  /** Everybody on the map; who is inside of something is left out. */
  unitsAt(tick) {
    const k = this.sampleAt(tick), units = [];
    for (let life = 0; life < this.nUnits && this.born[life] <= k; life++) {
      if (k >= this.ended[life] || this.knots.inside.value(life, k)) continue;
      const unit = this.unit(life, k, tick);
      if (!this.types[unit.kind].width) unit.facing = this.facing(life, k, tick, unit);
      units.push(unit);
    }
    return units;
  }

  /** Records hold no facing: a unit looks where it goes, at what it attacks, or where it last went. */
  facing(life, k, tick, unit) {
    const knots = this.knots.place, [xs, ys] = knots.fields, first = knots.first[life];
    if (unit.target >= 0 && this.isThere(unit.target, k)) {
      const [x, y] = this.placeAt(unit.target, k, tick);
      return Math.atan2(y - unit.y, x - unit.x);
    }
    for (let i = Math.min(knots.find(life, k), knots.first[life + 1] - 2); i >= first; i--) {
      const dx = xs[i + 1] - xs[i], dy = ys[i + 1] - ys[i];
      const ticks = this.ticks[knots.samples[i + 1]] - this.ticks[knots.samples[i]];
      if (Math.hypot(dx, dy) / knots.steps > STILL * ticks) return Math.atan2(dy, dx);
    }
    return 0;
  }

  missilesAt() {
    return [];
  }

  spansAt(tick) {
    return lasting(this.spans, tick);
  }

  passengers(slot, k) {
    const found = [];
    for (let life = 0; life < this.nUnits && this.born[life] <= k; life++) {
      if (this.isThere(life, k) && this.knots.inside.value(life, k) === slot + 1) found.push(life);
    }
    return found;
  }

  /** What a structure makes: [{title, share}], those that wait have no share. */
  making(life, k, tick) {
    const queue = this.queues[this.knots.queue.value(life, k)];
    const shares = [this.line("first_item", life, k, tick), this.line("second_item", life, k, tick)];
    return queue.map((product, n) => ({ product, title: this.products[product], share: shares[n] > 0 ? shares[n] : null }));
  }

  /** What a resource held when the game began. */
  contentsAtFirst(life) {
    const { contents } = this.knots;
    return Math.max(1, contents.fields[0][contents.first[life]]);
  }

  built(life, k, tick) {
    return this.line("built", life, k, tick);
  }

  /** What each player makes: by what it is, how many, and how far the first one is. */
  production(tick) {
    const k = this.sampleAt(tick), made = this.players.map(() => new Map());
    const add = (owner, title, share, what) => {
      const mine = made[owner - 1], entry = mine?.get(title);
      if (!mine) return;
      if (entry) { entry.n++; entry.share = Math.max(entry.share, share); }
      else mine.set(title, { title, n: 1, share, what });
    };
    for (let life = 0; life < this.nUnits && this.born[life] <= k; life++) {
      if (k >= this.ended[life]) continue;
      const owner = this.knots.owner.value(life, k);
      if (!owner) continue;
      if (this.knots.flags.value(life, k) & UNFINISHED) {
        add(owner, this.types[this.knots.kind.value(life, k)].title, this.built(life, k, tick), "structure");
      }
      if (!this.knots.queue.value(life, k)) continue;
      for (const { title, share } of this.making(life, k, tick)) {
        if (share !== null) add(owner, title, share, this.upgrades.includes(title) ? "upgrade" : "unit");
      }
    }
    return made.map((mine) => [...mine.values()].sort((a, b) => a.what.localeCompare(b.what) || b.n - a.n || a.title.localeCompare(b.title)));
  }

  /** A curve of a player at a time. */
  account(name, owner, tick) {
    const n = this.curveTicks.length;
    return this.columns[`curves.${name}`][(owner - 1) * n + lastNotAfter(this.curveTicks, tick)];
  }

  /** Sums of curves of a player, over all of the game. */
  curve(names, owner) {
    const n = this.curveTicks.length;
    return Array.from({ length: n }, (_, i) => names.reduce((sum, name) => sum + this.columns[`curves.${name}`][(owner - 1) * n + i], 0));
  }

  nameOf(slot, k) {
    return `${this.titleOf(slot, k)} #${slot}`;
  }

  titleOf(slot, k) {
    return this.types[this.knots.kind.value(slot, Math.min(k, this.ended[slot] - 1))].title;
  }
}

/** Read the embedded game, and the picture of its ground. */
async function readGame() {
  const [header, columns, rest] = await readRecord();
  return new Game({ ...header, ground: await createImageBitmap(new Blob([rest], { type: "image/webp" })) }, columns);
}
