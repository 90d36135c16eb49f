/* The battle: bytes become columns, columns become answers to "who, where, when". */

const PLACE = 128, LIFE = 16, SIGN = 32768; // see columns.py
const ALIVE = 1, ATTACKING = 2, FIRED = 4, HEALING = 8, CLOAKED = 16, ROOTED = 32, DISARMED = 64, SILENCED = 128,
  UNTOUCHABLE = 256, LIFTED = 512, SEEN_BY = [1024, 2048]; // see columns.py
const CAST_ORDER = 10;

class Battle {
  constructor(header, columns) {
    Object.assign(this, header); // about, types, terrain, result
    this.columns = columns;
    this.ticks = runningSums(columns["samples.ticks"]); // [samples]
    const firstTick = this.firstTick = this.ticks[0]; // rules may let a battle run before it is seen
    this.stepTicks = [firstTick, ...runningSums(columns["steps.n_ticks"]).map((ticks) => firstTick + ticks)]; // [steps + 1]
    this.nSamples = this.ticks.length;
    this.nUnits = columns["units.kind"].length / this.nSamples;
    this.nSteps = this.stepTicks.length - 1;
    this.lastTick = this.ticks[this.nSamples - 1];
    this.deaths = this.readDeaths();
    this.missileStarts = starts(columns["missiles.sample"], this.nSamples);
    this.actions = this.readActions();
    this.spans = readSpans(this, columns, (place) => (place - SIGN) / PLACE);
    this.whys = this.readWhys();
    this.strength = this.readStrength();
    this.bounds = this.readBounds();
  }

  readDeaths() {
    const c = this.columns, deaths = [];
    for (let i = 0; i < c["deaths.slot"].length; i++) {
      deaths.push({
        tick: c["deaths.tick_low"][i] + c["deaths.tick_high"][i] * 65536,
        slot: c["deaths.slot"][i],
        kind: c["deaths.kind"][i],
        side: c["deaths.side"][i],
        killer: c["deaths.killer"][i] - 1,
        x: (c["deaths.x"][i] - SIGN) / PLACE,
        y: (c["deaths.y"][i] - SIGN) / PLACE,
      });
    }
    return deaths;
  }

  /** The commands each unit was given, in their order. */
  readActions() {
    const c = this.columns, actions = Array.from({ length: this.nUnits }, () => []);
    for (let i = 0; i < c["commands.slot"].length; i++) {
      actions[c["commands.slot"][i]].push({
        step: c["commands.step"][i],
        order: c["commands.kind"][i],
        target: c["commands.target"][i] - 1,
        x: (c["commands.x"][i] - SIGN) / PLACE,
        y: (c["commands.y"][i] - SIGN) / PLACE,
        queued: c["commands.queued"][i] === 1,
        skill: this.skills[c["commands.ability"][i] - 1],
      });
    }
    return actions;
  }

  /** Who said why, in the order of time. */
  readWhys() {
    const c = this.columns;
    return Array.from(c["whys.slot"], (slot, i) => ({
      slot, tick: this.stepTicks[c["whys.step"][i]], reason: this.reasons[c["whys.reason"][i]],
    }));
  }

  /** Life with shields and number of the living, of both sides, at each sample. */
  readStrength() {
    const c = this.columns, n = this.nSamples;
    const strength = { life: [new Float64Array(n), new Float64Array(n)], alive: [new Uint16Array(n), new Uint16Array(n)] };
    for (let i = 0; i < c["units.kind"].length; i++) {
      if (!(c["units.flags"][i] & ALIVE) && !c["units.inside"][i]) continue;
      const side = c["units.side"][i], k = i % n;
      strength.life[side][k] += (c["units.hp"][i] + c["units.shield"][i]) / LIFE;
      strength.alive[side][k]++;
    }
    return strength;
  }

  /** The box in which everything happens. */
  readBounds() {
    const c = this.columns, box = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < c["units.kind"].length; i++) {
      if (!(c["units.flags"][i] & ALIVE)) continue;
      const x = c["units.x"][i] / PLACE, y = c["units.y"][i] / PLACE;
      box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x); box[3] = Math.max(box[3], y);
    }
    return box[0] <= box[2] ? box : [0, 0, this.terrain.width, this.terrain.height];
  }

  /** The last sample that is not after a tick. */
  sampleAt(tick) {
    return lastNotAfter(this.ticks, tick);
  }

  /** How many steps have begun before or at a tick, less one: the step that is being played. */
  stepAt(tick) {
    return Math.min(lastNotAfter(this.stepTicks, tick), Math.max(0, this.nSteps - 1));
  }

  /** All that is known of a unit at a sample. */
  sample(slot, k) {
    const c = this.columns, i = slot * this.nSamples + k;
    const flags = c["units.flags"][i];
    return {
      slot, flags,
      alive: (flags & ALIVE) > 0,
      kind: c["units.kind"][i],
      side: c["units.side"][i],
      x: c["units.x"][i] / PLACE,
      y: c["units.y"][i] / PLACE,
      facing: c["units.facing"][i] * Math.PI / 128,
      hp: c["units.hp"][i] / LIFE,
      hpMax: Math.max(1 / LIFE, c["units.hp_max"][i] / LIFE),
      shield: c["units.shield"][i] / LIFE,
      energy: c["units.energy"][i] / LIFE,
      inside: c["units.inside"][i] - 1,
      target: c["units.target"][i] - 1,
      orderSkill: this.skills[c["units.order_skill"][i] - 1],
      order: c["units.order"][i],
      orderTarget: c["units.order_target"][i] - 1,
      orderX: c["units.order_x"][i] / PLACE,
      orderY: c["units.order_y"][i] / PLACE,
    };
  }

  /** The living at any time, between samples as well; who falls before the next one is gone on time. */
  unitsAt(tick) {
    const k = this.sampleAt(tick), next = Math.min(k + 1, this.nSamples - 1);
    const share = next > k ? (tick - this.ticks[k]) / (this.ticks[next] - this.ticks[k]) : 0;
    const units = [];
    for (let slot = 0; slot < this.nUnits; slot++) {
      const unit = this.sample(slot, k);
      if (!unit.alive) continue;
      if (share > 0) {
        const to = this.sample(slot, next);
        if (!to.alive && this.fellBy(slot, this.ticks[k], tick)) continue;
        unit.x += (to.x - unit.x) * share;
        unit.y += (to.y - unit.y) * share;
        unit.facing += turn(unit.facing, to.facing) * share;
      }
      units.push(unit);
    }
    return units;
  }

  fellBy(slot, after, tick) {
    return this.deaths.some((d) => d.slot === slot && d.tick > after && d.tick <= tick);
  }

  missilesAt(tick) {
    const c = this.columns, k = this.sampleAt(tick), missiles = [];
    const length = k + 1 < this.nSamples ? this.ticks[k + 1] - this.ticks[k] : 1;
    const share = Math.min(1, (tick - this.ticks[k]) / length);
    for (let i = this.missileStarts[k]; i < this.missileStarts[k + 1]; i++) {
      const dx = (c["missiles.dx"][i] - SIGN) / PLACE, dy = (c["missiles.dy"][i] - SIGN) / PLACE;
      missiles.push({
        side: c["missiles.side"][i], skill: this.skills[c["missiles.skill"][i] - 1], dx, dy,
        x: (c["missiles.x"][i] - SIGN) / PLACE + dx * share,
        y: (c["missiles.y"][i] - SIGN) / PLACE + dy * share,
      });
    }
    return missiles;
  }

  spansAt(tick) {
    return lasting(this.spans, tick);
  }

  /** Who is on board of a unit. */
  passengers(slot, k) {
    const inside = this.columns["units.inside"], found = [];
    for (let u = 0; u < this.nUnits; u++) if (inside[u * this.nSamples + k] === slot + 1) found.push(u);
    return found;
  }

  /** Why a unit does what it does, as its player said; "" if nobody said. */
  reasonAt(slot, tick) {
    return this.whys.findLast((why) => why.slot === slot && why.tick <= tick)?.reason ?? "";
  }

  /** The command that a unit was given last. */
  actionAt(slot, tick) {
    const step = this.stepAt(tick);
    return this.actions[slot].findLast((action) => action.step <= step);
  }

  nameOf(slot, k) {
    return `${this.titleOf(slot, k)} #${slot}`;
  }

  titleOf(slot, k) {
    return this.types[this.columns["units.kind"][slot * this.nSamples + k]].title;
  }
}
