/* What abilities do to the battlefield: areas, locks, casts, and marks on the units themselves. */

const LEGS = [0.25, 0.75, 1.25, 1.75]; // of a planted unit, in half turns

class Spells {
  constructor(field) {
    this.field = field;
  }

  /** What lasts at this tick, sorted by where it is drawn. */
  begin(tick, bySlot) {
    this.tick = tick;
    this.bySlot = bySlot;
    this.k = this.field.battle.sampleAt(tick);
    this.spans = this.field.battle.spansAt(tick);
    this.carried = new Map(); // buffs, casts and morphs by slot
    for (const span of this.spans) {
      if (!["buff", "cast", "morph"].includes(span.what)) continue;
      if (!this.carried.has(span.slot)) this.carried.set(span.slot, []);
      this.carried.get(span.slot).push(span);
    }
    this.labels = [];
  }

  of(slot) {
    return this.carried.get(slot) ?? [];
  }

  /** Where something is: with its target if it has one that is still there. */
  place(span) {
    const on = this.bySlot.get(span.target);
    return this.field.toScreen(on ? on.x : span.x, on ? on.y : span.y);
  }

  // --- on the ground ------------------------------------------------------------------------

  drawAreas() {
    for (const span of this.spans) {
      const [x, y] = ["area", "fall", "summon"].includes(span.what) ? this.place(span) : [];
      if (x === undefined) continue;
      if (span.skill.name === "nuke_dot") this.drawDot(x, y);
      else if (span.what === "area") this.drawArea(span, x, y);
      else if (span.what === "fall") this.drawFall(span, x, y);
      else this.drawSummon(span, x, y);
      const height = Math.min(span.skill.radius * this.field.scale, y - 84); // not outside of the window
      this.name(span.skill, x, y - Math.max(12, height) - 7, this.colorOf(span));
    }
  }

  colorOf(span) {
    const { colors } = this.field;
    return span.what === "fall" || span.skill.name === "nuke_dot" ? colors.danger : this.field.sideColor(span.side);
  }

  /** A translucent circle; its bright rim is the share of time that is left. */
  drawArea(span, x, y) {
    const { pen, scale } = this.field, radius = Math.max(5, span.skill.radius * scale);
    pen.fillStyle = pen.strokeStyle = this.colorOf(span);
    this.field.circle(x, y, radius);
    // Wide ones, like a scan, would otherwise color the whole field.
    pen.globalAlpha = span.skill.radius > 6 ? 0.05 : 0.16;
    pen.fill();
    pen.globalAlpha = 0.35;
    pen.lineWidth = 1;
    pen.stroke();
    pen.globalAlpha = 0.8;
    pen.lineWidth = 2;
    this.arc(x, y, radius, span.left ?? 0);
    pen.globalAlpha = 1;
  }

  /** A ring that closes in on where something is about to fall. */
  drawFall(span, x, y) {
    const { pen, scale } = this.field, radius = Math.max(5, span.skill.radius * scale);
    pen.fillStyle = pen.strokeStyle = this.colorOf(span);
    this.field.circle(x, y, radius);
    pen.globalAlpha = 0.3 - 0.2 * (span.left ?? 0);
    pen.fill();
    pen.globalAlpha = 0.9;
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.setLineDash([3, 3]);
    this.field.circle(x, y, radius + (span.left ?? 0) * 1.2 * scale);
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  /** The red dot of a nuke. */
  drawDot(x, y) {
    const { pen, colors, scale } = this.field, beat = 0.5 + 0.5 * Math.sin(this.tick * 0.55);
    pen.fillStyle = pen.strokeStyle = colors.danger;
    this.field.circle(x, y, Math.max(3, scale * 0.18));
    pen.fill();
    pen.globalAlpha = 1 - beat;
    pen.lineWidth = 2;
    this.field.circle(x, y, Math.max(4, scale * (0.2 + 0.9 * beat)));
    pen.stroke();
    pen.globalAlpha = 1;
  }

  drawSummon(span, x, y) {
    const { pen, scale } = this.field;
    pen.strokeStyle = this.colorOf(span);
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 4]);
    this.field.circle(x, y, 0.6 * scale);
    pen.stroke();
    pen.setLineDash([]);
  }

  // --- between units ------------------------------------------------------------------------

  /** Locks, and where casts are aimed at. */
  drawLines() {
    for (const span of this.spans) {
      const me = this.bySlot.get(span.slot);
      if (!me || (span.what !== "lock" && (span.what !== "cast" || span.over))) continue;
      const [x0, y0] = this.field.toScreen(me.x, me.y), [x1, y1] = this.place(span);
      if (Math.hypot(x1 - x0, y1 - y0) < this.field.radiusOf(me)) continue; // on itself
      const on = this.bySlot.get(span.target);
      this.drawLine(span, [x0, y0], [x1, y1], on ? this.field.radiusOf(on) + 5 : Math.max(5, span.skill.radius * this.field.scale));
    }
  }

  drawLine(span, from, to, radius) {
    const { pen } = this.field, locks = span.what === "lock";
    pen.strokeStyle = this.field.sideColor(span.side);
    pen.globalAlpha = locks ? 0.9 : 0.6;
    pen.lineWidth = locks ? 2 : 1.25;
    pen.setLineDash(locks ? [7, 4] : [2, 5]);
    pen.lineDashOffset = -this.tick * 2; // it runs towards the target
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.stroke();
    pen.lineDashOffset = 0;
    pen.setLineDash(locks ? [radius * 0.785, radius * 0.785] : [2, 4]); // four brackets
    this.field.circle(...to, radius);
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  // --- on a unit ----------------------------------------------------------------------------

  /** Behind the body: the glow of a buff, the legs of a planted unit, the hole of a burrowed one. */
  drawBehind(unit, type, x, y, radius, color) {
    const { pen, colors } = this.field, alpha = pen.globalAlpha;
    const boosted = this.of(unit.slot).some((span) => span.what === "buff" && span.skill.effect === "boost");
    if (boosted) {
      const glow = pen.createRadialGradient(x, y, radius * 0.7, x, y, radius * 1.7);
      glow.addColorStop(0, colors.boost);
      glow.addColorStop(1, `${colors.boost}00`);
      pen.fillStyle = glow;
      this.field.circle(x, y, radius * 1.7);
      pen.fill();
    }
    if (type.burrowed) {
      pen.fillStyle = colors.cliff;
      this.field.circle(x, y, radius + Math.max(3, radius * 0.3));
      pen.fill();
    } else if (type.form_of) {
      pen.strokeStyle = color;
      pen.lineWidth = Math.max(2, radius * 0.22);
      pen.lineCap = "butt";
      pen.beginPath();
      for (const leg of LEGS) {
        const cos = Math.cos(leg * Math.PI), sin = Math.sin(leg * Math.PI), far = radius * 1.42, foot = radius * 0.3;
        pen.moveTo(x + cos * radius * 0.9, y + sin * radius * 0.9);
        pen.lineTo(x + cos * far, y + sin * far);
        pen.moveTo(x + cos * far - sin * foot, y + sin * far + cos * foot);
        pen.lineTo(x + cos * far + sin * foot, y + sin * far - cos * foot);
      }
      pen.stroke();
    }
    pen.globalAlpha = alpha;
  }

  /** In front of it: progress, what it carries, and how long its buff still lasts. */
  drawInFront(unit, type, x, y, radius) {
    const { pen, colors } = this.field, carried = this.of(unit.slot);
    if (type.burrowed) { // earth over its lower half
      pen.fillStyle = colors.cliff;
      pen.beginPath();
      pen.arc(x, y, radius, 0.15 * Math.PI, 0.85 * Math.PI);
      pen.fill();
    }
    const buffs = carried.filter((span) => span.what === "buff" && span.skill.effect);
    buffs.forEach(({ skill, left }, n) => {
      pen.strokeStyle = colors[skill.effect];
      pen.lineWidth = Math.max(1.25, radius * 0.1);
      this.field.circle(x, y, radius + 1.5 + 3 * n);
      pen.stroke();
      if (left !== null) this.drawTime(x, y + radius + 5 + 5 * n, Math.max(12, radius * 1.4), left, colors[skill.effect]);
    });
    const doing = carried.find((span) => span.what !== "buff" && !span.over);
    if (doing && doing.left !== null) {
      pen.strokeStyle = doing.what === "morph" ? colors.glyph : this.field.sideColor(unit.side);
      pen.lineWidth = Math.max(2, radius * 0.16);
      this.arc(x, y, radius + Math.max(4, radius * 0.22), 1 - doing.left);
    }
    const named = carried.findLast((span) => span.what !== "buff");
    if (named && pen.globalAlpha > 0.3) {
      this.name(named.skill, x, y + radius + 12 + 5 * buffs.length, this.field.sideColor(unit.side));
    }
    if (unit.flags & UNTOUCHABLE) {
      pen.fillStyle = `${colors.guard}66`;
      this.field.circle(x, y, radius);
      pen.fill();
    }
    if (type.cargo > 0) this.drawCargo(unit, x, y, radius);
  }

  drawTime(x, y, width, share, color) {
    const { pen, colors } = this.field;
    pen.fillStyle = colors.track;
    pen.fillRect(x - width / 2 - 1, y - 1, width + 2, 4);
    pen.fillStyle = color;
    pen.fillRect(x - width / 2, y, width * share, 2);
  }

  /** A dot for each passenger, below the middle of its carrier. */
  drawCargo(unit, x, y, radius) {
    const { pen, colors } = this.field, n = this.field.battle.passengers(unit.slot, this.k).length;
    const size = Math.max(2, radius * 0.16), row = Math.min(n, 4);
    for (let i = 0; i < n; i++) {
      const left = x + ((i % 4) - (row - 1) / 2) * size * 2.6, top = y + radius * 0.52 + Math.floor(i / 4) * size * 2.4;
      pen.fillStyle = colors.track;
      this.field.circle(left, top, size + 1);
      pen.fill();
      pen.fillStyle = colors.life_low;
      this.field.circle(left, top, size);
      pen.fill();
    }
  }

  // --- words --------------------------------------------------------------------------------

  /** Say what something is, once where several of a kind are close together. */
  name(skill, x, y, color) {
    const said = this.labels.some((l) => l.text === skill.title && Math.hypot(l.x - x, l.y - y) < 70);
    if (!said) this.labels.push({ text: skill.title, x, y, color });
  }

  /** Last, so that nothing hides them. */
  drawLabels() {
    const { pen, colors } = this.field;
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = colors.void;
    for (const { text, x, y, color } of this.labels) {
      pen.strokeText(text, x, y);
      pen.fillStyle = color;
      pen.fillText(text, x, y);
    }
  }

  /** A part of a circle, clockwise from the top. */
  arc(x, y, radius, share) {
    if (share <= 0) return;
    this.field.pen.beginPath();
    this.field.pen.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, share));
    this.field.pen.stroke();
  }
}
