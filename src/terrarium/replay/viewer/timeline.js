/* The course of the battle below it: what is left of both armies, and who fell when. */

class Timeline {
  constructor(canvas, battle) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.battle = battle;
    this.recolor();
  }

  recolor() {
    this.colors = colorTable(this.battle.colors);
  }

  resize() {
    Object.assign(this, fitDots(this.canvas)); // width, height, ratio
  }

  /** Aligned with the slider below, whose thumb keeps half its width from either end. */
  toX(tick) {
    return 8 + (tick / Math.max(1, this.battle.lastTick)) * (this.width - 16);
  }

  toTick(px) {
    const share = (px - 8) / Math.max(1, this.width - 16);
    return Math.min(1, Math.max(0, share)) * this.battle.lastTick;
  }

  draw(tick) {
    const { pen, battle, colors } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const most = Math.max(...battle.strength.life.map((life) => life[0]), 1);
    const band = 7, low = this.height - band - 2, high = band + 4;
    for (const side of [1, 0]) {
      this.drawCurve(battle.ticks, battle.strength.life[side], side ? colors.enemy : colors.ally, tick, most, low, high);
    }
    for (const death of battle.deaths) {
      const y = death.side === 0 ? 0 : this.height - band;
      pen.fillStyle = death.side === 0 ? colors.ally : colors.enemy;
      pen.globalAlpha = death.tick <= tick ? 1 : 0.45;
      pen.fillRect(this.toX(death.tick) - 1, y, 2, band);
    }
    pen.globalAlpha = 1;
    this.drawCursor(tick);
  }

  drawCursor(tick) {
    this.pen.fillStyle = this.colors.text;
    this.pen.fillRect(this.toX(tick) - 0.75, 0, 1.5, this.height);
  }

  /** A curve of values at times, between two heights; what is still to come is paler. */
  drawCurve(times, values, color, tick, most, low, high) {
    const { pen, battle } = this;
    const y = (k) => low - (low - high) * Math.min(1, values[k] / most);
    pen.strokeStyle = pen.fillStyle = color;
    pen.lineWidth = 1.75;
    pen.lineJoin = "round";
    const line = new Path2D();
    for (let k = 0; k < values.length; k++) line.lineTo(this.toX(times[k]), y(k));
    const area = new Path2D(line);
    area.lineTo(this.toX(battle.lastTick), low);
    area.lineTo(this.toX(0), low);
    pen.globalAlpha = 0.13;
    pen.fill(area);
    for (const [from, to, alpha] of [[0, tick, 1], [tick, battle.lastTick, 0.45]]) {
      pen.save();
      pen.beginPath();
      pen.rect(this.toX(from) - (from ? 0 : 8), 0, this.toX(to) - this.toX(from) + 8, this.height);
      pen.clip();
      pen.globalAlpha = alpha;
      pen.stroke(line);
      pen.restore();
    }
    pen.globalAlpha = 1;
  }
}
