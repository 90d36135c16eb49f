/* The course of the episode below it: the reward of each team at each step. */

const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]]; // color is not the only sign
const AXIS = 52; // pixels on the left for the numbers

class Course {
  constructor(canvas, episode) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.episode = episode;
    const all = episode.teamRewards.flat();
    this.least = Math.min(0, ...extremes(all));
    this.most = Math.max(0, ...extremes(all));
    if (this.least === this.most) this.most = 1;
    this.recolor();
  }

  recolor() {
    this.colors = colorTable(this.episode.palette);
    this.teamColors = this.episode.teamColors(this.colors);
  }

  resize() {
    Object.assign(this, fitDots(this.canvas)); // width, height, ratio
  }

  toX(tick) {
    return AXIS + (tick / Math.max(1, this.episode.n_steps)) * (this.width - AXIS - 8);
  }

  toTick(px) {
    const share = (px - AXIS) / Math.max(1, this.width - AXIS - 8);
    return Math.min(1, Math.max(0, share)) * this.episode.n_steps;
  }

  toY(reward) {
    const high = 24, low = this.height - 9;
    return low - (low - high) * (reward - this.least) / (this.most - this.least);
  }

  draw(tick) {
    const { pen, episode, colors } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    this.drawAxis();
    for (const [from, to, alpha] of [[0, tick, 1], [tick, episode.n_steps, 0.45]]) { // what is to come is paler
      pen.save();
      pen.beginPath();
      pen.rect(this.toX(from), 0, this.toX(to) - this.toX(from), this.height);
      pen.clip();
      pen.globalAlpha = alpha;
      episode.teamRewards.forEach((rewards, n) => this.drawCurve(rewards, n));
      pen.restore();
    }
    pen.fillStyle = colors.text;
    pen.fillRect(this.toX(tick) - 0.75, 17, 1.5, this.height - 17);
  }

  drawAxis() {
    const { pen, colors } = this;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillStyle = colors.muted;
    pen.textAlign = "left";
    pen.fillText(this.episode.teams.some(({ members }) => members.length > 1) ? "reward of each step, mean of a team" : "reward of each step", AXIS, 8);
    pen.textAlign = "right";
    const written = [];
    for (const reward of [this.most, this.least, 0]) {
      const y = this.toY(reward);
      pen.fillStyle = colors.edge;
      pen.fillRect(AXIS, Math.round(y), this.width - AXIS - 8, 1);
      if (written.some((other) => Math.abs(other - y) < 13)) continue;
      written.push(y);
      pen.fillStyle = colors.muted;
      pen.fillText(short(reward), AXIS - 6, y);
    }
  }

  /** A step's reward holds from its beginning to its end. */
  drawCurve(rewards, n) {
    const { pen } = this;
    pen.strokeStyle = this.teamColors[n];
    pen.lineWidth = 1.75;
    pen.lineJoin = "round";
    pen.setLineDash(DASHES[n % DASHES.length]);
    pen.beginPath();
    rewards.forEach((reward, t) => {
      pen.lineTo(this.toX(t), this.toY(reward));
      pen.lineTo(this.toX(t + 1), this.toY(reward));
    });
    pen.stroke();
    pen.setLineDash([]);
  }
}

/** Not Math.min(...values): a long episode has more steps than a call may have arguments. */
function extremes(values) {
  let least = 0, most = 0;
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

/** A number in at most seven letters. */
function short(value) {
  const size = Math.abs(value);
  if (size >= 1e5 || (size > 0 && size < 1e-3)) return value.toExponential(1).replace("e+", "e");
  if (!size) return "0";
  return minus(value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : 2));
}

/** A minus as wide as the digits, and none before a zero. */
function minus(text) {
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
