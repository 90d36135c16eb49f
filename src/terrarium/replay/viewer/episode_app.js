/* The page of an episode: its table of agents, its legend, and what keys and buttons do. */

class EpisodeApp extends Player {
  constructor(episode) {
    super(episode.n_steps, episode.fps);
    this.episode = episode;
    this.field = new EpisodeField($("field"), episode);
    this.timeline = new Course($("timeline"), episode);
    this.writeNames();
    this.writeTable();
    this.wirePlayback();
    this.wireKeys({ n: () => this.toggleNames() });
    this.wireTimeline();
    $("labels").hidden = !episode.isDrawn;
    $("labels").onclick = () => this.toggleNames();
    new ResizeObserver(() => this.resize()).observe($("stage"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    this.writeLegend();
    this.resize();
    this.goToHash();
  }

  writeNames() {
    const { episode } = this, steps = `${episode.n_steps} ${episode.n_steps === 1 ? "step" : "steps"}`;
    $("title").textContent = episode.title;
    $("meta").textContent = `${episode.task} · seed ${episode.seed} · ${steps} · ${episode.nAgents} ${episode.nAgents === 1 ? "agent" : "agents"}`;
    $("result").textContent = `Mean return ${short(this.meanReturn(episode.agents.map((_, a) => a), episode.n_steps))}`;
    $("note").hidden = episode.isDrawn || episode.picture_every === 1;
    $("note").textContent = `The pictures are the environment's own; every ${ordinal(episode.picture_every)} step is shown.`;
  }

  meanReturn(members, step) {
    return mean(members.map((a) => this.episode.returnOf(a, step)));
  }

  // --- the table --------------------------------------------------------------------------

  writeTable() {
    const { episode } = this;
    $("agents").classList.toggle("silent", !episode.speaks);
    $("agents").classList.toggle("alone", episode.nAgents === 1);
    this.rows = [];
    this.teamRows = [];
    this.swatches = [];
    for (const [n, { name, members }] of episode.teams.entries()) {
      const body = document.createElement("tbody");
      if (episode.teams.length > 1 || members.length > 1) {
        this.teamRows[n] = this.addRow(body, members.length > 1 ? name : episode.agents[members[0]], "team", n);
        if (members.length > 1) this.teamRows[n].name.append(mark(" mean"));
      }
      if (members.length > 1 || episode.teams.length === 1) {
        for (const a of members) this.rows[a] = this.addRow(body, episode.agents[a], "");
      } else {
        this.rows[members[0]] = this.teamRows[n];
      }
      $("agents").append(body);
    }
  }

  addRow(body, name, kind, team) {
    const row = body.insertRow(), who = row.insertCell();
    row.className = kind;
    if (team !== undefined) {
      const swatch = document.createElement("canvas");
      who.append(swatch);
      this.swatches.push([swatch, team]);
    }
    who.append(name);
    who.title = name;
    const [says, reward, total] = ["says", "now", ""].map((className) => {
      const cell = row.insertCell();
      cell.className = className;
      return cell;
    });
    return { row, name: who, says, reward, total };
  }

  showNumbers() {
    const { episode, tick } = this, step = episode.stepAt(tick);
    this.showClock();
    $("step").textContent = `${step} / ${episode.n_steps}`;
    episode.agents.forEach((_, a) => {
      const { row, says, reward, total } = this.rows[a], now = episode.rewardOf(a, step);
      row.classList.toggle("gone", !episode.isThere(a, step));
      says.textContent = episode.message(a, step)?.letter ?? "";
      reward.textContent = now === null ? "–" : short(now);
      total.textContent = short(episode.returnOf(a, step));
    });
    episode.teams.forEach(({ members }, n) => {
      if (members.length === 1 || !this.teamRows[n]) return;
      this.teamRows[n].reward.textContent = step ? short(episode.teamRewards[n][step - 1]) : "–";
      this.teamRows[n].total.textContent = short(this.meanReturn(members, step));
    });
  }

  // --- signs ------------------------------------------------------------------------------

  writeLegend() {
    const { episode } = this, entries = [];
    if (episode.isDrawn) {
      entries.push(["an agent and where it was", "agent"]);
      if (episode.things.some((thing) => thing.kind === "landmark")) entries.push(["a landmark", "landmark"]);
      if (episode.speaks) entries.push(["a message: its strongest word, and a bar for each", "message"]);
    }
    $("legend").hidden = !entries.length;
    $("legend").replaceChildren(...entries.map(([words, sign]) => this.legendLine(words, sign)));
    this.drawSigns();
  }

  legendLine(words, sign) {
    const line = document.createElement("div"), term = document.createElement("dt"), meaning = document.createElement("dd");
    const canvas = document.createElement("canvas");
    canvas.dataset.sign = sign;
    term.append(canvas);
    meaning.textContent = words;
    line.append(term, meaning);
    return line;
  }

  drawSigns() {
    const { colors, teamColors } = this.timeline;
    for (const [canvas, team] of this.swatches) {
      const pen = signPen(canvas);
      pen.strokeStyle = teamColors[team];
      pen.lineWidth = 3;
      pen.setLineDash(this.episode.teams.length > 1 ? DASHES[team % DASHES.length] : []);
      pen.beginPath();
      pen.moveTo(0, 6);
      pen.lineTo(26, 6);
      pen.stroke();
    }
    for (const canvas of $("legend").querySelectorAll("canvas")) drawSign(signPen(canvas), canvas.dataset.sign, colors);
  }

  // --- what is shown ----------------------------------------------------------------------

  resize() {
    this.field.resize();
    this.timeline.resize();
    this.draw(); // at once: a resized canvas is empty
    this.showNumbers();
  }

  recolor() {
    this.field.recolor();
    this.timeline.recolor();
    this.drawSigns();
    this.show();
  }

  draw() {
    this.field.draw(this.tick);
    this.timeline.draw(this.tick);
  }

  nextStop(direction) {
    return direction > 0 ? Math.floor(this.tick + 1e-6) + 1 : Math.ceil(this.tick - 1e-6) - 1;
  }

  toggleNames() {
    this.field.named = !this.field.named;
    $("labels").setAttribute("aria-pressed", String(this.field.named));
    this.show();
  }

  /** episode.html#step=12 opens at that step. */
  goToHash() {
    const step = parseFloat(new URLSearchParams(location.hash.slice(1)).get("step"));
    if (Number.isFinite(step)) this.seek(step);
  }

  /** For tests and for pages that embed this one. */
  get hook() {
    return {
      seek: (step) => this.seek(step),
      play: () => this.play(),
      pause: () => this.pause(),
      /** Where a thing is on the screen, in pixels of the window. */
      place: (name) => {
        const at = this.episode.place(this.episode.things.findIndex((thing) => thing.name === name), this.tick);
        if (!at) return null;
        const box = $("field").getBoundingClientRect(), [x, y] = this.field.toScreen(at);
        return { x: box.left + x, y: box.top + y };
      },
      state: () => ({
        step: this.tick,
        lastStep: this.lastTick,
        playing: this.playing,
        speed: this.speed,
        named: this.field.named,
        boxes: this.field.taken ?? [],
        picture: this.field.wanted ?? null,
      }),
    };
  }
}

function mark(words) {
  const small = document.createElement("small");
  small.textContent = words;
  return small;
}

function signPen(canvas) {
  const ratio = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
  canvas.width = 26 * ratio;
  canvas.height = 12 * ratio;
  pen.scale(ratio, ratio);
  return pen;
}

function drawSign(pen, sign, colors) {
  pen.strokeStyle = pen.fillStyle = colors.muted;
  pen.lineWidth = 1.5;
  if (sign === "message") {
    pen.strokeRect(1, 1, 24, 10);
    pen.font = "700 9px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.fillText("A", 4, 6.5);
    [8, 3, 5].forEach((height, n) => pen.fillRect(13 + 4 * n, 10 - height, 2.5, height));
    return;
  }
  if (sign === "agent") {
    pen.globalAlpha = 0.5;
    pen.fillRect(1, 4.5, 16, 3);
    pen.globalAlpha = 1;
  } else {
    pen.setLineDash([3, 2]);
  }
  pen.beginPath();
  pen.arc(sign === "agent" ? 19 : 13, 6, 5, 0, 2 * Math.PI);
  if (sign === "agent") pen.fill(); else pen.stroke();
}

/** 2nd, 3rd, 4th. */
function ordinal(n) {
  const tail = n % 100 >= 11 && n % 100 <= 13 ? 0 : n % 10;
  return `${n}${["th", "st", "nd", "rd"][tail] ?? "th"}`;
}

begin(readEpisode().then((episode) => new EpisodeApp(episode)));
