/* A whole map: ground, creep, resources, structures, units, and the fog of a player. */

const DOTS = 7; // pixels a cell: below that units are dots without letters
const FADED = 0.4;
const CHAMFER = 0.22; // of a structure's corners

class GameField extends Field {
  constructor(canvas, game) {
    super(canvas, game);
    this.layers = new Layers(game);
    this.eyes = 0; // the player who sees; 0 = everything is shown
  }

  get game() {
    return this.battle;
  }

  recolor() {
    this.colors = colorTable(this.battle.colors);
  }

  /** The playable part of the map, beside what covers the field. */
  fit() {
    const [x0, y0, x1, y1] = this.game.map.playable, wide = this.width > 760;
    const [left, right, top, bottom] = wide ? [230, 250, 8, 8] : [4, 4, 100, 124];
    const width = Math.max(80, this.width - left - right), height = Math.max(80, this.height - top - bottom);
    this.scale = Math.min(width / (x1 - x0), height / (y1 - y0), 46);
    this.x = (x0 + x1) / 2 + (right - left) / 2 / this.scale;
    this.y = (y0 + y1) / 2 + (top - bottom) / 2 / this.scale;
    this.fitted = true;
  }

  zoom(factor, px, py) {
    super.zoom(factor, px, py);
    this.keepInside();
  }

  pan(dx, dy) {
    super.pan(dx, dy);
    this.keepInside();
  }

  /** The middle of the window stays on the map. */
  keepInside() {
    const [x0, y0, x1, y1] = this.game.map.playable;
    this.x = Math.min(x1, Math.max(x0, this.x));
    this.y = Math.min(y1, Math.max(y0, this.y));
  }

  /** Look at a place from near. */
  lookAt(x, y, scale) {
    this.x = x;
    this.y = y;
    if (scale) this.scale = scale;
    this.fitted = false;
    this.keepInside();
  }

  sideColor(side) {
    return side ? this.colors[`player${side}`] : this.colors.neutral;
  }

  bodyColor(side) {
    return side ? this.colors[`player${side}_body`] : this.colors.neutral_body;
  }

  radiusOf(unit) {
    return Math.max(2.6, this.game.types[unit.kind].radius * this.scale);
  }

  /** Workers are diamonds, flyers look where they fly, all others are round. */
  outline(unit, type, x, y, radius) {
    const { pen } = this;
    if (type.role === "worker") {
      const r = radius * 1.12;
      pen.beginPath();
      pen.moveTo(x, y - r); pen.lineTo(x + r, y); pen.lineTo(x, y + r); pen.lineTo(x - r, y);
      pen.closePath();
    } else if (type.flying && !type.width) {
      const cos = Math.cos(unit.facing), sin = -Math.sin(unit.facing);
      const corner = (along, aside) => [x + radius * (cos * along - sin * aside), y + radius * (sin * along + cos * aside)];
      pen.beginPath();
      pen.moveTo(...corner(1.25, 0)); pen.lineTo(...corner(-0.75, 0.95)); pen.lineTo(...corner(-0.4, 0)); pen.lineTo(...corner(-0.75, -0.95));
      pen.closePath();
    } else {
      this.circle(x, y, radius);
    }
  }

  // --- who is shown -------------------------------------------------------------------------

  isSeen(unit) {
    return !this.eyes || unit.side === this.eyes || (unit.flags & (SEEN_BY_ONE << (this.eyes - 1))) > 0;
  }

  /** What players know without seeing it: resources and rocks, and structures that they have seen. */
  isRemembered(unit, k) {
    if (!this.game.types[unit.kind].width) return false;
    if (!unit.side) return true;
    const flags = this.game.knots.flags, bit = SEEN_BY_ONE << (this.eyes - 1);
    for (let i = flags.find(unit.slot, k); i >= flags.first[unit.slot]; i--) if (flags.fields[0][i] & bit) return true;
    return false;
  }

  showsDeath({ side, x, y }) {
    const sight = this.game.sights[this.eyes - 1];
    if (!this.eyes || side === this.eyes || !sight) return true;
    return sight.at(this.spells.k)[Math.floor(y) * this.game.map.width + Math.floor(x)] === 1;
  }

  strengthOf(unit) {
    return this.isSeen(unit) ? (unit.flags & CLOAKED ? 0.5 : 1) : FADED;
  }

  pick(px, py, tick) {
    let best = -1, least = 10;
    for (const unit of this.shownAt(tick)) {
      const [x, y] = this.toScreen(unit.x, unit.y), type = this.game.types[unit.kind];
      const outside = type.width
        ? Math.max(Math.abs(px - x) - type.width * this.scale / 2, Math.abs(py - y) - type.height * this.scale / 2)
        : Math.hypot(px - x, py - y) - this.radiusOf(unit);
      if (outside < least) [best, least] = [unit.slot, Math.max(outside, type.width ? 0 : -10)];
    }
    return best;
  }

  shownAt(tick) {
    const k = this.game.sampleAt(tick), units = this.game.unitsAt(tick);
    return this.eyes ? units.filter((unit) => this.isSeen(unit) || this.isRemembered(unit, k)) : units;
  }

  // --- drawing ------------------------------------------------------------------------------

  draw(tick, selected) {
    const { pen, game, colors } = this, k = game.sampleAt(tick);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colors.beyond;
    pen.fillRect(0, 0, this.width, this.height);
    this.spread(game.ground);
    const creep = this.layers.creepAt(k, colors.creep_ground);
    if (creep) this.spread(creep);
    const units = this.shownAt(tick), bySlot = new Map(units.map((unit) => [unit.slot, unit]));
    const typeOf = (unit) => game.types[unit.kind];
    const standing = units.filter((unit) => typeOf(unit).width).sort((a, b) => b.y - a.y);
    const moving = units.filter((unit) => !typeOf(unit).width).sort((a, b) => typeOf(a).flying - typeOf(b).flying || b.y - a.y);
    this.spells.begin(tick, bySlot);
    for (const unit of standing) this.drawStanding(unit, k, tick, unit.slot === selected);
    const fog = this.eyes ? this.layers.fogAt(k, this.eyes, colors.fog) : null;
    if (fog) this.spread(fog);
    this.spells.drawAreas();
    this.drawDeaths(tick);
    const chosen = bySlot.get(selected);
    if (chosen) this.drawRings(chosen);
    for (const unit of units) if (unit.target >= 0) this.drawAttack(unit, bySlot, tick);
    this.spells.drawLines();
    const dots = this.scale < DOTS;
    for (const unit of moving) if (dots) this.drawDot(unit, unit.slot === selected); else this.drawUnit(unit, unit.slot === selected);
    for (const unit of units) if (!dots || unit.slot === selected) this.drawLife(unit, unit.slot === selected);
    if (!dots) this.spells.drawLabels();
    if (chosen) this.drawOrder(chosen, bySlot);
  }

  /** A picture over all of the map. */
  spread(image) {
    const { width, height } = this.game.map, [left, top] = this.toScreen(0, height);
    this.pen.imageSmoothingEnabled = true;
    this.pen.imageSmoothingQuality = "high";
    this.pen.drawImage(image, left, top, width * this.scale, height * this.scale);
  }

  drawTower(unit) {
    const { pen, colors, scale } = this, [px, py] = this.toScreen(unit.x, unit.y);
    pen.fillStyle = colors.neutral_body;
    pen.strokeStyle = colors.rich;
    pen.lineWidth = Math.max(1, scale * 0.16);
    this.circle(px, py, scale);
    pen.fill();
    pen.stroke();
    pen.fillStyle = colors.rich;
    this.circle(px, py, scale * 0.35);
    pen.fill();
  }

  drawStanding(unit, k, tick, selected) {
    const { pen } = this, { role } = this.game.types[unit.kind];
    pen.globalAlpha = this.strengthOf(unit);
    if (role === "minerals") this.drawMinerals(unit, k, tick);
    else if (role === "vespene") this.drawGeyser(unit);
    else if (role === "tower") this.drawTower(unit);
    else if (role === "destructible" || role === "plates") this.drawRubble(unit, role === "plates");
    else this.drawStructure(unit, k, tick);
    if (selected) {
      const type = this.game.types[unit.kind], [x, y] = this.toScreen(unit.x, unit.y);
      pen.strokeStyle = this.colors.glyph;
      pen.lineWidth = 2;
      pen.strokeRect(x - type.width * this.scale / 2 - 3, y - type.height * this.scale / 2 - 3, type.width * this.scale + 6, type.height * this.scale + 6);
    }
    pen.globalAlpha = 1;
  }

  /** Two crystals, smaller as the field gets empty. */
  drawMinerals(unit, k, tick) {
    const { pen, colors, scale } = this, type = this.game.types[unit.kind], [x, y] = this.toScreen(unit.x, unit.y);
    const left = this.game.line("contents", unit.slot, k, tick) / this.game.contentsAtFirst(unit.slot);
    const full = 0.6 + 0.4 * Math.min(1, left);
    pen.strokeStyle = colors.track;
    pen.lineWidth = Math.max(0.5, scale * 0.07);
    for (const [dx, size] of [[-0.5, 0.8], [0.45, 0.66]]) {
      const r = size * scale * full, cx = x + dx * scale;
      pen.fillStyle = type.name.includes("rich") ? colors.rich : colors.minerals;
      pen.beginPath();
      pen.moveTo(cx, y - 1.25 * r); pen.lineTo(cx + 0.7 * r, y); pen.lineTo(cx, y + 0.8 * r); pen.lineTo(cx - 0.7 * r, y);
      pen.closePath();
      pen.fill();
      if (scale > 5) pen.stroke();
    }
  }

  /** Rocks and plates, by their outline; the middle of rocks is lit. */
  drawRubble(unit, flat) {
    const { pen, colors, scale } = this, { outline } = this.game.types[unit.kind], alpha = pen.globalAlpha;
    const [x, y] = this.toScreen(unit.x, unit.y);
    const draw = (share, color) => {
      pen.fillStyle = color;
      pen.beginPath();
      for (const [dx, dy] of outline) pen.lineTo(x + dx * scale * share, y - dy * scale * share);
      pen.closePath();
      pen.fill();
    };
    if (flat) pen.globalAlpha = 0.4 * alpha;
    draw(0.98, flat ? colors.neutral : colors.rubble_edge);
    if (!flat) {
      draw(0.88, colors.rubble);
      pen.globalAlpha = 0.16 * alpha;
      draw(0.62, "#fff");
    }
    pen.globalAlpha = alpha;
  }

  drawGeyser(unit) {
    const { pen, colors, scale } = this, [x, y] = this.toScreen(unit.x, unit.y);
    pen.fillStyle = "#23352b";
    this.circle(x, y, 1.4 * scale);
    pen.fill();
    pen.fillStyle = colors.vespene;
    this.circle(x, y, 0.75 * scale);
    pen.fill();
  }

  /** A footprint with chamfered corners; what is not finished fills up from below. */
  drawStructure(unit, k, tick) {
    const { pen, scale } = this, type = this.game.types[unit.kind], [x, y] = this.toScreen(unit.x, unit.y);
    const width = Math.max(4, type.width * scale - Math.max(1, scale * 0.12)), height = Math.max(4, type.height * scale - Math.max(1, scale * 0.12));
    const line = Math.max(1, Math.min(2.5, scale * 0.14)), raised = unit.flags & LIFTED || type.flying;
    if (raised) {
      pen.fillStyle = "#0006";
      this.box(x + scale * 0.5, y + scale * 0.8, width, height);
      pen.fill();
    }
    const color = this.sideColor(unit.side), body = this.bodyColor(unit.side), unfinished = unit.flags & UNFINISHED;
    this.box(x, y, width, height);
    pen.fillStyle = unfinished ? `${body}99` : body;
    pen.fill();
    if (unfinished) {
      const share = this.game.built(unit.slot, k, tick);
      pen.save();
      pen.clip();
      pen.fillStyle = color;
      pen.globalAlpha *= 0.45;
      pen.fillRect(x - width / 2, y + height / 2 - height * share, width, height * share);
      pen.restore();
      pen.setLineDash([scale * 0.4, scale * 0.25]);
    }
    this.box(x, y, width - line, height - line);
    pen.strokeStyle = color;
    pen.lineWidth = line;
    pen.stroke();
    pen.setLineDash([]);
    const size = Math.min(width * (type.glyph.length > 1 ? 0.44 : 0.56), 34);
    if (size >= 6.5) {
      pen.fillStyle = this.colors.glyph;
      pen.font = `650 ${size}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(type.glyph, x, y + size * 0.06);
    }
    if (scale >= DOTS) this.drawMaking(unit, k, tick, x, y + height / 2, width);
  }

  /** Bars for what is made, at the lower edge of a structure. */
  drawMaking(unit, k, tick, x, bottom, width) {
    if (!this.game.knots.queue.value(unit.slot, k)) return;
    const { pen, colors } = this, thick = Math.max(2.5, this.scale * 0.16);
    this.game.making(unit.slot, k, tick).filter(({ share }) => share !== null).forEach(({ share }, n) => {
      const top = bottom - (n + 1) * (thick + 1) - this.scale * 0.3;
      pen.fillStyle = colors.track;
      pen.fillRect(x - width * 0.4, top, width * 0.8, thick);
      pen.fillStyle = this.sideColor(unit.side);
      pen.fillRect(x - width * 0.4, top, width * 0.8 * share, thick);
    });
  }

  /** A rectangle around a point with its corners cut off. */
  box(x, y, width, height) {
    const { pen } = this, w = width / 2, h = height / 2, c = Math.min(w, h) * CHAMFER * 2;
    pen.beginPath();
    pen.moveTo(x - w + c, y - h);
    pen.lineTo(x + w - c, y - h); pen.lineTo(x + w, y - h + c); pen.lineTo(x + w, y + h - c); pen.lineTo(x + w - c, y + h);
    pen.lineTo(x - w + c, y + h); pen.lineTo(x - w, y + h - c); pen.lineTo(x - w, y - h + c);
    pen.closePath();
  }

  /** A unit seen from far. */
  drawDot(unit, selected) {
    const { pen } = this, type = this.game.types[unit.kind], [x, y] = this.toScreen(unit.x, unit.y);
    const radius = Math.max(type.role === "worker" ? 1.5 : 2.4, type.radius * this.scale * 1.1);
    pen.globalAlpha = this.strengthOf(unit);
    pen.fillStyle = "#000a";
    this.outline(unit, type, x, y, radius + 1);
    pen.fill();
    pen.fillStyle = this.sideColor(unit.side);
    this.outline(unit, type, x, y, radius);
    pen.fill();
    if (selected) {
      pen.strokeStyle = this.colors.glyph;
      pen.lineWidth = 1.5;
      this.circle(x, y, radius + 3);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  drawUnit(unit, selected) {
    super.drawUnit(unit, selected);
    if (!(unit.flags & (MINERALS | VESPENE))) return;
    const { pen, colors } = this, [x, y] = this.toScreen(unit.x, unit.y), radius = this.radiusOf(unit);
    pen.fillStyle = unit.flags & MINERALS ? colors.minerals : colors.vespene;
    pen.strokeStyle = colors.track;
    pen.lineWidth = 1;
    this.circle(x + Math.cos(unit.facing) * radius, y - Math.sin(unit.facing) * radius, Math.max(1.5, radius * 0.36));
    pen.fill();
    pen.stroke();
  }

  /** Bars of those who are hurt or selected; resources have none. */
  drawLife(unit, selected) {
    const type = this.game.types[unit.kind];
    if (!unit.side || !this.isSeen(unit)) return;
    const hurt = unit.hp < unit.hpMax - 1 || unit.shield < type.shield - 1;
    if (!selected && (!hurt || unit.flags & UNFINISHED)) return;
    if (type.width) this.drawStructureBar(unit, type); else this.drawBars(unit, selected);
  }

  drawStructureBar(unit, type) {
    const { pen, colors } = this, [x, y] = this.toScreen(unit.x, unit.y), width = type.width * this.scale * 0.8;
    const top = y - type.height * this.scale / 2 - 5, share = unit.hp / unit.hpMax;
    pen.fillStyle = colors.track;
    pen.fillRect(x - width / 2 - 1, top - 1, width + 2, 4);
    pen.fillStyle = share > 0.34 ? colors.life : colors.life_low;
    pen.fillRect(x - width / 2, top, width * Math.min(1, share), 2);
  }

  /** A line from a unit to its victim; it pulses, because records of games do not hold each shot. */
  drawAttack(unit, bySlot, tick) {
    const { pen } = this, victim = bySlot.get(unit.target);
    if (!victim || !this.isSeen(unit)) return;
    const beat = ((tick / 9 + unit.slot * 0.37) % 1 + 1) % 1, healing = unit.flags & HEALING;
    const [x0, y0] = this.toScreen(unit.x, unit.y), [x1, y1] = this.toScreen(victim.x, victim.y);
    pen.globalAlpha = healing ? 0.7 : 0.85 * (1 - beat) ** 2 + 0.08;
    pen.strokeStyle = healing ? this.colors.heal : this.sideColor(unit.side);
    pen.lineWidth = Math.max(0.8, this.scale * 0.07);
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
    pen.globalAlpha = 1;
  }
}
