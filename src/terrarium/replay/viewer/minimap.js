/* All of the map, small: who is where, and what the window shows. */

const MINIMAP_DOTS = { townhall: 3, structure: 2, army: 1.4, worker: 1, other: 1.2 };

class Minimap {
  constructor(canvas, field) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.field = field;
  }

  resize() {
    const [x0, y0, x1, y1] = this.field.game.map.playable;
    this.canvas.style.aspectRatio = `${x1 - x0} / ${y1 - y0}`;
    Object.assign(this, fitDots(this.canvas));
    this.scale = Math.min(this.width / (x1 - x0), this.height / (y1 - y0));
  }

  toScreen(x, y) {
    const [x0, , , y1] = this.field.game.map.playable;
    return [(x - x0) * this.scale, (y1 - y) * this.scale];
  }

  toWorld(px, py) {
    const [x0, , , y1] = this.field.game.map.playable;
    return [x0 + px / this.scale, y1 - py / this.scale];
  }

  draw(tick) {
    const { pen, field } = this, { game, colors } = field, k = game.sampleAt(tick);
    if (!this.width) return;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colors.beyond;
    pen.fillRect(0, 0, this.width, this.height);
    this.spread(game.ground);
    const creep = field.layers.creepAt(k, colors.creep_ground), fog = field.eyes ? field.layers.fogAt(k, field.eyes, colors.fog) : null;
    if (creep) this.spread(creep);
    const units = field.shownAt(tick);
    for (const unit of units) if (!unit.side) this.drawResource(unit);
    if (fog) this.spread(fog);
    for (const unit of units) if (unit.side) this.drawUnit(unit);
    for (const fight of field.eyes ? [] : game.fights) {
      const from = game.ticks[fight.first], to = game.ticks[fight.last];
      if (tick >= from && tick <= to + 40) this.drawFight(fight, tick);
    }
    this.drawWindow();
  }

  spread(image) {
    const { width, height } = this.field.game.map, [left, top] = this.toScreen(0, height);
    this.pen.drawImage(image, left, top, width * this.scale, height * this.scale);
  }

  drawResource(unit) {
    const { pen, field } = this, { role, name } = field.game.types[unit.kind], [x, y] = this.toScreen(unit.x, unit.y);
    if (role !== "minerals" && role !== "vespene") return;
    pen.fillStyle = role === "vespene" ? field.colors.vespene : name.includes("rich") ? field.colors.rich : field.colors.minerals;
    pen.fillRect(x - 1, y - 0.7, 2, 1.4);
  }

  drawUnit(unit) {
    const { pen, field } = this, type = field.game.types[unit.kind], [x, y] = this.toScreen(unit.x, unit.y);
    const r = MINIMAP_DOTS[type.role] ?? 1.2;
    pen.fillStyle = field.sideColor(unit.side);
    pen.globalAlpha = field.isSeen(unit) ? 1 : 0.5;
    pen.fillRect(x - r, y - r, 2 * r, 2 * r);
    pen.globalAlpha = 1;
  }

  drawFight(fight, tick) {
    const { pen, field } = this, [x, y] = this.toScreen(fight.x, fight.y), beat = (tick / 16) % 1;
    pen.strokeStyle = field.colors.danger;
    pen.globalAlpha = 1 - beat;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(x, y, 3 + 9 * beat, 0, 2 * Math.PI);
    pen.stroke();
    pen.globalAlpha = 1;
  }

  drawWindow() {
    const { pen, field } = this;
    const [left, top] = this.toScreen(...field.toWorld(0, 0)), [right, bottom] = this.toScreen(...field.toWorld(field.width, field.height));
    pen.strokeStyle = "#fff";
    pen.globalAlpha = 0.8;
    pen.lineWidth = 1;
    pen.strokeRect(Math.max(0.5, left), Math.max(0.5, top), Math.min(this.width - 0.5, right) - Math.max(0.5, left), Math.min(this.height - 0.5, bottom) - Math.max(0.5, top));
    pen.globalAlpha = 1;
  }
}
