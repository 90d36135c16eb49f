/* The battlefield: a camera, the ground, and everything that stands or flies on it. */

const DEATH_TICKS = 56; // how long a marker of a death fades
const SHOT_TICKS = 5;
const SMALL = 15; // pixels: smaller bodies show their bars once they are hurt

class Field {
  constructor(canvas, battle) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.battle = battle;
    this.scale = 0; // pixels of a cell
    this.x = this.y = 0; // what the middle shows
    this.fitted = true;
    this.eyes = -1; // the side that sees; -1 = everything is shown
    this.spells = new Spells(this);
    this.recolor();
  }

  recolor() {
    this.colors = colorTable(this.battle.colors);
    this.ground = drawGround(this.battle.terrain, this.colors);
  }

  resize() {
    Object.assign(this, fitDots(this.canvas)); // width, height, ratio
    if (this.fitted) this.fit();
  }

  /** Show all that happens, below the cards of the armies. */
  fit() {
    const [x0, y0, x1, y1] = this.battle.bounds, margin = 2.2, top = 64;
    const height = Math.max(80, this.height - top);
    this.scale = Math.min(this.width / (x1 - x0 + 2 * margin), height / (y1 - y0 + 2 * margin), 46);
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2 + top / 2 / this.scale;
    this.fitted = true;
  }

  /** Zoom so that the point under (px, py) stays where it is. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.toWorld(px, py);
    this.scale = Math.min(160, Math.max(3, this.scale * factor));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y + (py - this.height / 2) / this.scale;
    this.fitted = false;
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.fitted = false;
  }

  /** y grows upwards in the game and downwards on a screen. */
  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  radiusOf(unit) {
    return Math.max(4, this.battle.types[unit.kind].radius * this.scale);
  }

  /** The unit at a point of the screen, with some room for fingers. */
  pick(px, py, tick) {
    let best = -1, least = Infinity;
    for (const unit of this.battle.unitsAt(tick)) {
      const [x, y] = this.toScreen(unit.x, unit.y);
      const outside = Math.hypot(px - x, py - y) - this.radiusOf(unit);
      if (outside < 10 && outside < least) [best, least] = [unit.slot, outside];
    }
    return best;
  }

  draw(tick, selected) {
    const { pen, battle, colors } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colors.void;
    pen.fillRect(0, 0, this.width, this.height);
    const [left, top] = this.toScreen(0, battle.terrain.height);
    pen.imageSmoothingEnabled = this.scale < CELL;
    pen.drawImage(this.ground, left, top, battle.terrain.width * this.scale, battle.terrain.height * this.scale);

    const units = battle.unitsAt(tick);
    const bySlot = new Map(units.map((unit) => [unit.slot, unit]));
    this.spells.begin(tick, bySlot);
    this.drawFog(units);
    this.spells.drawAreas();
    this.drawDeaths(tick);
    const chosen = bySlot.get(selected);
    if (chosen) this.drawRings(chosen);
    units.sort((a, b) => battle.types[a.kind].flying - battle.types[b.kind].flying || b.y - a.y);
    for (const unit of units) this.drawAttack(unit, bySlot, tick);
    this.spells.drawLines();
    for (const unit of units) this.drawUnit(unit, unit.slot === selected);
    for (const unit of units) this.drawBars(unit, unit.slot === selected);
    for (const missile of battle.missilesAt(tick)) this.drawMissile(missile);
    this.spells.drawLabels();
    if (chosen) this.drawOrder(chosen, bySlot);
  }

  /** How clearly a unit is shown: the cloaked are seen through, and what nobody sees is faint. */
  strengthOf(unit) {
    const unseen = this.eyes >= 0 && !(unit.flags & SEEN_BY[this.eyes]);
    return unseen ? 0.22 : unit.flags & CLOAKED ? 0.5 : 1;
  }

  /** Darkness where the units of the chosen side do not see; only a battle with fog has any. */
  drawFog(units) {
    if (this.eyes < 0 || !this.battle.about.fog) return;
    this.dark ??= document.createElement("canvas");
    this.dark.width = this.canvas.width;
    this.dark.height = this.canvas.height;
    const pen = this.dark.getContext("2d");
    pen.scale(this.ratio, this.ratio);
    pen.fillStyle = this.colors.void;
    pen.globalAlpha = 0.6;
    pen.fillRect(0, 0, this.width, this.height);
    pen.globalAlpha = 1;
    pen.globalCompositeOperation = "destination-out";
    for (const unit of units) {
      if (unit.side !== this.eyes) continue;
      const [x, y] = this.toScreen(unit.x, unit.y);
      pen.beginPath();
      pen.arc(x, y, this.battle.types[unit.kind].sight * this.scale, 0, 2 * Math.PI);
      pen.fill();
    }
    this.pen.drawImage(this.dark, 0, 0, this.width, this.height);
  }

  sideColor(side) {
    return side === 0 ? this.colors.ally : this.colors.enemy;
  }

  bodyColor(side) {
    return side === 0 ? this.colors.ally_body : this.colors.enemy_body;
  }

  /** The outline of a unit. */
  outline(unit, type, x, y, radius) {
    this.circle(x, y, radius);
  }

  circle(x, y, radius) {
    this.pen.beginPath();
    this.pen.arc(x, y, radius, 0, 2 * Math.PI);
  }

  drawUnit(unit, selected) {
    const { pen, colors } = this, type = this.battle.types[unit.kind];
    const [x, y] = this.toScreen(unit.x, unit.y), radius = this.radiusOf(unit);
    const color = this.sideColor(unit.side), cloaked = (unit.flags & CLOAKED) > 0;
    pen.globalAlpha = this.strengthOf(unit);
    if (type.flying || unit.flags & LIFTED) { // its shadow on the ground below
      pen.fillStyle = "#0005";
      this.circle(x + radius * 0.25, y + radius * 0.45, radius * 0.95);
      pen.fill();
    }
    if (selected) {
      pen.strokeStyle = colors.glyph;
      pen.lineWidth = 2;
      this.circle(x, y, radius + 4);
      pen.stroke();
    }
    this.spells.drawBehind(unit, type, x, y, radius, color);
    pen.fillStyle = this.bodyColor(unit.side);
    this.outline(unit, type, x, y, radius);
    pen.fill();
    const line = Math.max(1.25, Math.min(3, radius * 0.16));
    pen.strokeStyle = color;
    pen.lineWidth = line;
    if (cloaked) pen.setLineDash([radius * 0.35, radius * 0.35]);
    this.outline(unit, type, x, y, radius - line / 2);
    pen.stroke();
    pen.setLineDash([]);
    if (type.flying) {
      pen.lineWidth = 1;
      pen.setLineDash([2, 3]);
      this.circle(x, y, radius + 2.5);
      pen.stroke();
      pen.setLineDash([]);
    }
    this.drawFacing(x, y, radius, unit.facing, color);
    if (radius >= 7) {
      const size = Math.min(radius * (type.glyph.length > 1 ? 0.92 : 1.15), 26);
      pen.fillStyle = colors.glyph;
      pen.font = `650 ${size}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(type.glyph, x, y + size * 0.06);
    }
    this.spells.drawInFront(unit, type, x, y, radius);
    pen.globalAlpha = 1;
  }

  /** A small beak where the unit looks. */
  drawFacing(x, y, radius, facing, color) {
    const { pen } = this, cos = Math.cos(facing), sin = -Math.sin(facing);
    const tip = radius + Math.max(2.5, radius * 0.28), half = Math.max(2, radius * 0.3), base = radius * 0.93;
    pen.fillStyle = color;
    pen.beginPath();
    pen.moveTo(x + cos * tip, y + sin * tip);
    pen.lineTo(x + cos * base - sin * half, y + sin * base + cos * half);
    pen.lineTo(x + cos * base + sin * half, y + sin * base - cos * half);
    pen.fill();
  }

  /** Life, shields and energy above a unit. */
  drawBars(unit, selected) {
    const { pen, colors } = this, type = this.battle.types[unit.kind];
    const [x, y] = this.toScreen(unit.x, unit.y), radius = this.radiusOf(unit);
    const whole = unit.hp >= unit.hpMax && unit.shield >= type.shield && type.energy === 0;
    if (whole && radius < SMALL && !selected) return;
    pen.globalAlpha = this.strengthOf(unit) < 0.5 ? 0.22 : 1;
    const width = Math.max(12, Math.min(2 * radius, 52)), height = radius > 12 ? 4 : 3;
    const share = unit.hp / unit.hpMax;
    const bars = [[share, share > 0.34 ? colors.life : colors.life_low]];
    if (type.shield > 0) bars.unshift([unit.shield / type.shield, colors.shield]);
    if (type.energy > 0) bars.push([unit.energy / type.energy, colors.energy]);
    let bottom = y - radius - 5 - bars.length * height;
    pen.fillStyle = colors.track;
    pen.fillRect(x - width / 2 - 1, bottom - 1, width + 2, bars.length * height + 1);
    for (const [part, color] of bars) {
      pen.fillStyle = color;
      pen.fillRect(x - width / 2, bottom, width * Math.min(1, part), height - 1);
      bottom += height;
    }
    pen.globalAlpha = 1;
  }

  /** A line from a unit to its victim: bright right after a shot, faint while it aims. */
  drawAttack(unit, bySlot, tick) {
    const { pen, battle } = this, k = battle.sampleAt(tick);
    let strength = unit.flags & ATTACKING ? 0.22 : 0, target = unit.target;
    for (let j = k; j >= 0 && tick - battle.ticks[j] <= SHOT_TICKS; j--) {
      const then = battle.sample(unit.slot, j);
      if (!(then.flags & FIRED)) continue;
      strength = Math.max(strength, 1 - (tick - battle.ticks[j]) / (SHOT_TICKS + 1));
      if (target < 0) target = then.target;
      break;
    }
    const healing = (unit.flags & HEALING) > 0;
    if (healing) strength = 0.8;
    if (this.strengthOf(unit) < 0.5) strength *= 0.3;
    if (strength <= 0 || target < 0) return;
    const victim = bySlot.get(target);
    if (!victim) return;
    const type = battle.types[unit.kind];
    const apart = Math.hypot(victim.x - unit.x, victim.y - unit.y);
    const gap = apart - type.radius - battle.types[victim.kind].radius;
    if (gap > type.reach + 1.5) return; // still on its way
    const [x0, y0] = this.toScreen(unit.x, unit.y), [x1, y1] = this.toScreen(victim.x, victim.y);
    pen.globalAlpha = strength;
    pen.strokeStyle = healing ? this.colors.heal : this.sideColor(unit.side);
    pen.lineWidth = strength > 0.3 ? Math.max(1.25, this.scale * 0.07) : 1;
    pen.lineCap = "round";
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
    if (strength > 0.3 && !healing) { // where it strikes
      pen.fillStyle = this.colors.glyph;
      const inside = Math.max(0, apart - battle.types[victim.kind].radius * 0.8) / Math.max(apart, 1e-6);
      this.circle(x0 + (x1 - x0) * inside, y0 + (y1 - y0) * inside, Math.max(1.5, this.scale * 0.1) * strength);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  drawMissile(missile) {
    const { pen } = this, [x, y] = this.toScreen(missile.x, missile.y);
    const [tailX, tailY] = this.toScreen(missile.x - missile.dx * 0.5, missile.y - missile.dy * 0.5);
    const size = Math.max(2, this.scale * (missile.skill ? 0.2 : 0.11));
    pen.strokeStyle = this.sideColor(missile.side);
    pen.lineWidth = size;
    pen.lineCap = "round";
    pen.globalAlpha = 0.5;
    pen.beginPath();
    pen.moveTo(tailX, tailY);
    pen.lineTo(x, y);
    pen.stroke();
    pen.globalAlpha = 1;
    pen.fillStyle = this.colors.glyph;
    this.circle(x, y, size);
    pen.fill();
    if (missile.skill) this.spells.name(missile.skill, x, y - size - 8, this.sideColor(missile.side));
  }

  showsDeath() {
    return true;
  }

  /** A cross where somebody fell, and for a moment a ring that widens. */
  drawDeaths(tick) {
    const { pen, battle } = this;
    for (const death of battle.deaths) {
      const age = tick - death.tick;
      if (age < 0 || age > DEATH_TICKS || !this.showsDeath(death)) continue;
      const [x, y] = this.toScreen(death.x, death.y), radius = this.radiusOf(death);
      const size = Math.min(radius * 0.6, 12), left = 1 - age / DEATH_TICKS;
      pen.strokeStyle = this.sideColor(death.side);
      pen.lineCap = "round";
      pen.globalAlpha = 0.85 * left;
      pen.lineWidth = Math.max(1.5, size * 0.25);
      pen.beginPath();
      pen.moveTo(x - size, y - size); pen.lineTo(x + size, y + size);
      pen.moveTo(x + size, y - size); pen.lineTo(x - size, y + size);
      pen.stroke();
      if (age < 10) {
        pen.globalAlpha = 0.7 * (1 - age / 10);
        this.circle(x, y, radius * (1 + age / 8));
        pen.stroke();
      }
      pen.globalAlpha = 1;
    }
  }

  /** How far the selected unit reaches and sees, from its middle. */
  drawRings(unit) {
    const { pen } = this, type = this.battle.types[unit.kind];
    const [x, y] = this.toScreen(unit.x, unit.y);
    pen.strokeStyle = pen.fillStyle = this.sideColor(unit.side);
    if (type.reach > 0) {
      this.circle(x, y, (type.radius + type.reach) * this.scale);
      pen.globalAlpha = 0.08;
      pen.fill();
      pen.globalAlpha = 0.75;
      pen.lineWidth = 1.25;
      pen.stroke();
    }
    pen.globalAlpha = 0.45;
    pen.lineWidth = 1;
    pen.setLineDash([5, 6]);
    this.circle(x, y, type.sight * this.scale);
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  /** Where the selected unit is going, or whom it is after. */
  drawOrder(unit, bySlot) {
    const { pen } = this, aim = bySlot.get(unit.orderTarget);
    if (unit.order === CAST_ORDER && !unit.orderX && !unit.orderY && !aim) return; // on itself
    if (!ORDERS[unit.order] || (unit.orderTarget >= 0 && !aim) || unit.order === 4 || unit.order === 5) return;
    const [x0, y0] = this.toScreen(unit.x, unit.y);
    const [x1, y1] = aim ? this.toScreen(aim.x, aim.y) : this.toScreen(unit.orderX, unit.orderY);
    pen.strokeStyle = this.colors.glyph;
    pen.globalAlpha = 0.6;
    pen.lineWidth = 1.25;
    pen.setLineDash([3, 5]);
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
    pen.setLineDash([]);
    this.circle(x1, y1, aim ? this.radiusOf(aim) + 4 : 5);
    pen.stroke();
    pen.globalAlpha = 1;
  }
}
