/* The episode itself: particles with trails, names and messages, or the pictures it drew of itself. */

const TRAIL_STEPS = 14;
const MARGIN = 36; // pixels around what ever happens: names and bubbles need them
const BAR = 5, BAR_GAP = 2, BUBBLE = 22;

class EpisodeField {
  constructor(canvas, episode) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.episode = episode;
    this.named = true;
    this.images = new Map();
    this.recolor();
  }

  recolor() {
    this.colors = colorTable(this.episode.palette);
  }

  resize() {
    Object.assign(this, fitDots(this.canvas)); // width, height, ratio
    if (!this.episode.isDrawn) return;
    const [x0, y0, x1, y1] = this.episode.bounds;
    const room = [this.width - 2 * MARGIN, this.height - 2 * MARGIN].map((length) => Math.max(40, length));
    this.scale = Math.min(room[0] / Math.max(x1 - x0, 0.5), room[1] / Math.max(y1 - y0, 0.5));
    this.middle = [(x0 + x1) / 2, (y0 + y1) / 2];
  }

  /** y grows upwards on the plane and downwards on a screen. */
  toScreen([x, y]) {
    return [this.width / 2 + (x - this.middle[0]) * this.scale, this.height / 2 - (y - this.middle[1]) * this.scale];
  }

  draw(tick) {
    const { pen, colors, episode } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colors.void;
    pen.fillRect(0, 0, this.width, this.height);
    if (!episode.isDrawn) return this.drawPicture(episode.pictureAt(episode.stepAt(tick)));
    this.drawGrid();
    const step = episode.stepAt(tick);
    const bodies = episode.things.map((thing, e) => this.body(thing, e, tick, step)).filter((body) => body !== null);
    // Agents above landmarks, small above large: nothing is covered whole.
    bodies.sort((a, b) => (a.thing.kind === "agent") - (b.thing.kind === "agent") || b.radius - a.radius);
    for (const body of bodies) if (body.thing.kind === "agent") this.drawTrail(body, tick);
    for (const body of bodies) this.drawBody(body);
    this.taken = [];
    this.bodies = bodies;
    for (const body of bodies) this.drawMessage(body, step);
    if (this.named) for (const body of bodies.toReversed()) this.drawName(body);
  }

  body(thing, e, tick, step) {
    const at = this.episode.place(e, tick), agent = this.episode.agentOf[e];
    if (!at || (agent >= 0 && !this.episode.isThere(agent, step))) return null;
    const [x, y] = this.toScreen(at);
    const radius = Math.max(4, thing.radius * this.scale);
    return { thing, e, agent, x, y, radius, color: visible(this.episode.colorOf(e, step), this.colors.void) };
  }

  /** A line at every half, the axes stronger; its unit is written once. */
  drawGrid() {
    const { pen, colors } = this, [left, bottom] = this.toPlane(0, this.height), [right, top] = this.toPlane(this.width, 0);
    const every = [0.5, 1, 2, 5, 10, 20, 50].find((unit) => unit * this.scale >= 48) ?? 100;
    this.every = every;
    pen.lineWidth = 1;
    for (const axis of [0, 1]) {
      const [from, to] = axis ? [bottom, top] : [left, right];
      for (let n = Math.ceil(from / every); n <= to / every; n++) {
        const [x, y] = this.toScreen(axis ? [0, n * every] : [n * every, 0]).map((at) => Math.round(at) + 0.5);
        pen.strokeStyle = n ? colors.ground0 : colors.ramp;
        pen.beginPath();
        if (axis) pen.moveTo(0, y), pen.lineTo(this.width, y);
        else pen.moveTo(x, 0), pen.lineTo(x, this.height);
        pen.stroke();
      }
    }
    this.drawUnit(every);
  }

  drawUnit(every) {
    const { pen, colors } = this, x = 16, y = this.height - 16;
    pen.strokeStyle = pen.fillStyle = colors.muted;
    pen.beginPath();
    pen.moveTo(x, y - 4);
    pen.lineTo(x, y);
    pen.lineTo(x + every * this.scale, y);
    pen.lineTo(x + every * this.scale, y - 4);
    pen.stroke();
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    pen.fillText(`${every}`, x + 5, y - 2);
  }

  toPlane(px, py) {
    return [this.middle[0] + (px - this.width / 2) / this.scale, this.middle[1] - (py - this.height / 2) / this.scale];
  }

  /** Where it was, fainter the longer ago. */
  drawTrail({ e, x, y, radius, color }, tick) {
    const { pen, episode } = this, step = episode.stepAt(tick);
    let to = [x, y];
    pen.strokeStyle = color;
    pen.lineCap = "round";
    for (let k = 0; k < TRAIL_STEPS && step - k >= 0; k++) {
      const at = episode.place(e, step - k);
      if (!at) break;
      const from = this.toScreen(at);
      if (Math.hypot(from[0] - to[0], from[1] - to[1]) > 0.5 * this.scale) break; // it jumped
      pen.globalAlpha = 0.55 * (1 - k / TRAIL_STEPS);
      pen.lineWidth = Math.max(1.5, Math.min(6, radius * 0.4) * (1 - k / TRAIL_STEPS));
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(...to);
      pen.stroke();
      to = from;
    }
    pen.globalAlpha = 1;
  }

  /** Agents are full circles, landmarks hollow and with a cross: color is not the only sign. */
  drawBody({ thing, x, y, radius, color }) {
    const { pen, colors } = this;
    pen.fillStyle = pen.strokeStyle = color;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    if (thing.kind === "agent") {
      pen.fill();
      pen.lineWidth = 1.5;
      pen.strokeStyle = colors.glyph;
      pen.stroke();
      return;
    }
    pen.globalAlpha = 0.14;
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.setLineDash([5, 3]);
    pen.stroke();
    pen.setLineDash([]);
    const arm = Math.min(6, radius * 0.6);
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x - arm, y);
    pen.lineTo(x + arm, y);
    pen.moveTo(x, y - arm);
    pen.lineTo(x, y + arm);
    pen.stroke();
  }

  /** A bubble beside the speaker: the letter of the strongest word, and a bar for each. */
  drawMessage({ agent, x, y, radius, color }, step) {
    const said = agent >= 0 ? this.episode.message(agent, step) : null;
    if (!said) return;
    const { pen, colors } = this, bars = said.values.length <= 16 ? said.values : [];
    pen.font = "700 13px system-ui, sans-serif";
    const letter = pen.measureText(said.letter).width;
    const width = 16 + letter + (bars.length ? 6 + bars.length * (BAR + BAR_GAP) - BAR_GAP : 0);
    const box = this.findRoom(x, y, radius + 6, width, BUBBLE) ?? this.keep({ left: x - width / 2, top: y - radius - 6 - BUBBLE, width, height: BUBBLE });
    pen.fillStyle = colors.panel;
    pen.strokeStyle = color;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.roundRect(box.left, box.top, width, BUBBLE, 7);
    pen.fill();
    pen.stroke();
    pen.fillStyle = colors.text;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(said.letter, box.left + 8, box.top + BUBBLE / 2 + 1);
    bars.forEach((value, n) => {
      const left = box.left + 14 + letter + n * (BAR + BAR_GAP), height = Math.max(1, (BUBBLE - 8) * Math.abs(value) / this.episode.loudest);
      pen.fillStyle = colors.edge;
      pen.fillRect(left, box.top + 4, BAR, BUBBLE - 8);
      pen.fillStyle = value < 0 ? colors.danger : colors.text;
      pen.fillRect(left, box.top + BUBBLE - 4 - height, BAR, height);
    });
  }

  drawName({ thing, x, y, radius }) {
    const { pen, colors } = this, isAgent = thing.kind === "agent";
    pen.font = `${isAgent ? "600 12px" : "11px"} system-ui, sans-serif`;
    const width = pen.measureText(thing.name).width + 4;
    const box = this.findRoom(x, y, radius + 3, width, 15);
    if (!box) return; // the table has all names
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = colors.void;
    pen.fillStyle = isAgent ? colors.text : colors.muted;
    pen.strokeText(thing.name, box.left + width / 2, box.top + 8);
    pen.fillText(thing.name, box.left + width / 2, box.top + 8);
  }

  /** A free place for a box: below, above, right or left of a circle; null where all are taken. */
  findRoom(x, y, distance, width, height) {
    const near = distance * 0.75; // at the corners
    const places = [
      [x - width / 2, y + distance], [x - width / 2, y - distance - height],
      [x + distance, y - height / 2], [x - distance - width, y - height / 2],
      [x + near, y + near], [x - near - width, y + near],
      [x + near, y - near - height], [x - near - width, y - near - height],
    ];
    const boxes = places.map(([left, top]) => ({ left, top, width, height })).filter((box) => this.isFree(box));
    const best = boxes.find((box) => !this.bodies.some((body) => covers(box, body))) ?? boxes[0];
    return best ? this.keep(best) : null;
  }

  isFree({ left, top, width, height }) {
    if (left < 2 || top < 2 || left + width > this.width - 2 || top + height > this.height - 2) return false;
    // Neither on the unit below on the left, nor on the buttons below on the right.
    const onEdge = top + height > this.height - 54;
    if (onEdge && (left < 24 + this.every * this.scale || left + width > this.width - 110)) return false;
    return this.taken.every((box) => left >= box.left + box.width || left + width <= box.left || top >= box.top + box.height || top + height <= box.top);
  }

  keep(box) {
    this.taken.push(box);
    return box;
  }

  /** As large as fits. A picture that is still being decoded is drawn when it is there. */
  drawPicture(n) {
    const image = this.image(n);
    this.wanted = n;
    if (!image.complete || !image.naturalWidth) return;
    const room = this.height - 60; // above the button
    const scale = Math.min((this.width - 24) / image.naturalWidth, (room - 24) / image.naturalHeight);
    const width = image.naturalWidth * scale, height = image.naturalHeight * scale;
    this.pen.drawImage(image, (this.width - width) / 2, 12 + (room - 24 - height) / 2, width, height);
  }

  image(n) {
    if (!this.images.has(n)) {
      const image = new Image(), text = this.episode.pictures[n];
      image.onload = () => { if (this.wanted === n) this.drawPicture(n); };
      image.src = `data:image/${text.startsWith("iVBOR") ? "png" : "jpeg"};base64,${text}`;
      this.images.set(n, image);
    }
    return this.images.get(n);
  }
}

/** Whether a box lies on a body. Of large landmarks only the middle counts: there is room in them. */
function covers({ left, top, width, height }, { thing, x, y, radius }) {
  const apartX = Math.max(left - x, 0, x - left - width), apartY = Math.max(top - y, 0, y - top - height);
  return Math.hypot(apartX, apartY) < (thing.kind === "landmark" && radius > 40 ? 8 : radius);
}
