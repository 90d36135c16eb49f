/* The course of a game below the map: curves of the players, and the fights. */

const METRICS = {
  army: { title: "Army", names: ["army_minerals", "army_vespene"] },
  supply: { title: "Supply", names: ["supply_used"] },
  income: { title: "Income", names: ["mineral_rate", "vespene_rate"] },
  workers: { title: "Workers", names: ["workers"] },
  bank: { title: "Unspent", names: ["minerals", "vespene"] },
};
const BAND = 13; // pixels for the fights, above the curves

class GameTimeline extends Timeline {
  constructor(canvas, game) {
    super(canvas, game);
    this.metric = "army";
    this.curves = {};
    for (const [key, { names }] of Object.entries(METRICS)) this.curves[key] = game.players.map(({ owner }) => game.curve(names, owner));
  }

  draw(tick) {
    const { pen, battle: game, colors } = this, curves = this.curves[this.metric];
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const most = Math.max(1, ...curves.flat()), low = this.height - 2, high = BAND + 5;
    this.drawScale(most, low, high);
    for (const { owner } of [...game.players].reverse()) {
      this.drawCurve(game.curveTicks, curves[owner - 1], colors[`player${owner}`], tick, most, low, high);
    }
    for (const fight of game.fights) this.drawFight(fight, tick);
    this.drawCursor(tick);
    this.drawValues(tick, curves, most, low, high);
  }

  drawScale(most, low, high) {
    const { pen, colors } = this;
    pen.strokeStyle = colors.edge;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const y of [low, high]) { pen.moveTo(8, y + 0.5); pen.lineTo(this.width - 8, y + 0.5); }
    pen.stroke();
    pen.fillStyle = colors.muted;
    pen.font = "10.5px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "top";
    pen.fillText(most.toLocaleString("en"), 10, high + 3);
  }

  /** A bar as long as the fight, as high as what was lost in it. */
  drawFight(fight, tick) {
    const { pen, battle: game, colors } = this, lost = fight.lost.reduce((sum, value) => sum + value, 0);
    const from = this.toX(game.ticks[fight.first]), to = this.toX(game.ticks[fight.last]);
    const height = Math.max(3, Math.min(BAND, BAND * Math.sqrt(lost / 4000)));
    pen.globalAlpha = game.ticks[fight.first] <= tick ? 1 : 0.55;
    pen.fillStyle = colors.danger;
    pen.fillRect(from, BAND - height, Math.max(3, to - from), height);
    pen.globalAlpha = 1;
  }

  /** Dots where the curves are now. */
  drawValues(tick, curves, most, low, high) {
    const { pen, battle: game, colors } = this, at = lastNotAfter(game.curveTicks, tick);
    for (const { owner } of game.players) {
      const y = low - (low - high) * (curves[owner - 1][at] / most);
      pen.fillStyle = colors[`player${owner}`];
      pen.beginPath();
      pen.arc(this.toX(tick), y, 3.5, 0, 2 * Math.PI);
      pen.fill();
    }
  }
}
