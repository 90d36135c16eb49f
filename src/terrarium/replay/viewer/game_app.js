/* The page of a whole game: players, production, minimap, fights, fog, keys and fingers. */

const SECOND = TICKS_PER_S;
const NARROW = 760; // pixels: a phone, where production would hide the map
const CLOSE = 24; // pixels a cell: how near a fight is looked at

class GameApp extends Player {
  constructor(game) {
    super(game.lastTick, TICKS_PER_S, [0.5, 1, 2, 4, 8, 16, 32]);
    this.battle = this.game = game;
    this.firstTick = this.tick = game.firstTick;
    this.selected = NO_UNIT;
    this.field = new GameField($("field"), game);
    this.minimap = new Minimap($("minimap"), this.field);
    this.timeline = new GameTimeline($("timeline"), game);
    this.panel = new GamePanel(game);
    this.writeNames();
    this.writeMetrics();
    this.wirePlayback();
    this.wireButtons();
    this.wireKeys(this.ownKeys());
    wireMap(this);
    this.wireMinimap();
    this.wireTimeline();
    new ResizeObserver(() => this.resize()).observe(document.querySelector("main"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    this.resize();
    this.goToHash();
  }

  writeNames() {
    const { about, result, players } = this.game;
    $("title").textContent = about.title;
    $("meta").textContent = `${about.map} · seed ${about.seed} · ${about.ruleset}, rules ${about.rules_version}`;
    $("result").textContent = result.text;
    if (result.winner) $("result").style.cssText = `color: var(--player${result.winner}); border-color: currentColor`;
    this.cards = players.map((player) => this.card(player));
    $("players").replaceChildren(...this.cards.map(({ section }) => section));
  }

  /** Name, race, purse, supply, workers and army of a player; below what it makes. */
  card({ name, race, owner }) {
    const section = document.createElement("section"), head = document.createElement("h2"), small = document.createElement("small");
    section.className = "army";
    section.style.setProperty("--side", `var(--player${owner})`);
    head.textContent = name;
    small.textContent = race;
    head.append(" ", small);
    const numbers = document.createElement("p"), cells = {};
    for (const [key, title] of [["minerals", "Minerals"], ["vespene", "Vespene"], ["supply", "Supply"], ["workers", "Workers"], ["value", "Army: minerals and vespene"]]) {
      const cell = document.createElement("span");
      cell.className = `icon ${key}`;
      cell.title = title;
      cells[key] = cell;
      numbers.append(cell);
    }
    const made = document.createElement("ul"), done = document.createElement("p");
    made.className = "making";
    done.className = "done";
    section.append(head, numbers, made, done);
    return { section, cells, made, done, owner, shown: "" };
  }

  writeMetrics() {
    for (const [key, { title }] of Object.entries(METRICS)) {
      const button = document.createElement("button");
      button.textContent = title;
      button.onclick = () => this.showMetric(key);
      button.dataset.metric = key;
      $("metrics").append(button);
    }
    this.showMetric("army");
  }

  showMetric(key) {
    this.timeline.metric = key;
    for (const button of $("metrics").children) button.setAttribute("aria-pressed", String(button.dataset.metric === key));
    if (this.timeline.width) this.show();
  }

  // --- what is shown ----------------------------------------------------------------------

  resize() {
    this.field.resize();
    this.minimap.resize();
    this.timeline.resize();
    this.draw(); // at once: a resized canvas is empty
    this.showNumbers();
  }

  recolor() {
    this.field.recolor();
    this.timeline.recolor();
    this.show();
  }

  draw() {
    this.field.draw(this.tick, this.selected);
    this.minimap.draw(this.tick);
    this.timeline.draw(this.tick);
  }

  showNumbers() {
    const { game, tick } = this, production = game.production(tick), thousands = (n) => n.toLocaleString("en");
    this.showClock();
    $("step").textContent = thousands(Math.round(tick));
    for (const card of this.cards) {
      const of = (name) => game.account(name, card.owner, tick), { cells } = card;
      cells.minerals.textContent = thousands(of("minerals"));
      cells.vespene.textContent = thousands(of("vespene"));
      cells.supply.textContent = `${of("supply_used")}/${of("supply_cap")}`;
      cells.workers.textContent = of("workers");
      cells.value.textContent = thousands(of("army_minerals") + of("army_vespene"));
      this.showProduction(card, production[card.owner - 1]);
    }
    this.panel.show(this.selected, tick);
    showTip(this);
  }

  showProduction(card, made) {
    const key = made.map(({ title, n, share }) => `${title}${n}${Math.floor(share * 50)}`).join();
    if (key !== card.shown) {
      card.shown = key;
      card.made.replaceChildren(...made.map(({ title, n, share }) => progressLine(n > 1 ? `${n} ${title}` : title, share)));
    }
    const done = this.game.researched.filter(({ owner, tick }) => owner === card.owner && tick <= this.tick).map(({ title }) => title).join(", ");
    if (card.done.textContent !== done) card.done.textContent = done;
  }

  // --- selection, eyes, fights ----------------------------------------------------------------

  select(slot) {
    this.selected = slot >= 0 && slot < this.game.nUnits ? slot : NO_UNIT;
    this.show();
  }

  /** Look through everybody's eyes, or those of one player after the other. */
  nextEyes() {
    const { players } = this.game;
    this.field.eyes = (this.field.eyes + 1) % (players.length + 1);
    $("eyes").textContent = this.field.eyes ? `${players[this.field.eyes - 1].name}'s eyes` : "All eyes";
    $("eyes").style.setProperty("--side", this.field.eyes ? `var(--player${this.field.eyes})` : "");
    this.show();
  }

  nextStop(direction) {
    return this.tick + direction * SECOND;
  }

  /** Jump to the next fight, or the one before, and look at it. */
  nextFight(direction) {
    const { fights, ticks } = this.game, lead = 2 * SECOND, begins = (fight) => Math.max(this.firstTick, ticks[fight.first] - lead);
    const fight = direction > 0 ? fights.find((f) => begins(f) > this.tick + 1) : fights.findLast((f) => begins(f) < this.tick - SECOND);
    if (!fight) return;
    this.field.lookAt(fight.x, fight.y, Math.max(this.field.scale, Math.min(CLOSE, this.field.width / 34)));
    this.seek(begins(fight));
  }

  // --- input ------------------------------------------------------------------------------

  wireButtons() {
    $("eyes").onclick = () => this.nextEyes();
    $("panel-close").onclick = () => this.select(NO_UNIT);
    $("fight-before").onclick = () => this.nextFight(-1);
    $("fight-next").onclick = () => this.nextFight(1);
    $("fights").hidden = !this.game.fights.length;
    $("production").onclick = () => this.toggleProduction();
    if (innerWidth <= NARROW) this.toggleProduction();
  }

  toggleProduction() {
    const hidden = $("players").classList.toggle("brief");
    $("production").setAttribute("aria-pressed", String(!hidden));
  }

  ownKeys() {
    return {
      ...mapKeys(this),
      f: () => this.nextEyes(),
      n: () => this.nextFight(1),
      p: () => this.nextFight(-1),
      m: () => this.toggleProduction(),
      c: () => {
        const keys = Object.keys(METRICS);
        this.showMetric(keys[(keys.indexOf(this.timeline.metric) + 1) % keys.length]);
      },
    };
  }

  wireMinimap() {
    const canvas = $("minimap");
    const look = (event) => {
      this.field.lookAt(...this.minimap.toWorld(event.offsetX, event.offsetY), this.field.fitted ? CLOSE : 0);
      this.show();
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      look(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) look(event);
    });
  }

  /** game.html#t=612&unit=3&eyes=1 opens at that second, with that unit and the eyes of that player. */
  goToHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("unit")) this.select(Number(wanted.get("unit")) | 0);
    for (let n = Number(wanted.get("eyes")) % (this.game.players.length + 1); n > 0; n--) this.nextEyes();
    if (Number.isFinite(parseFloat(wanted.get("t")))) this.seek(parseFloat(wanted.get("t")) * TICKS_PER_S);
  }

  /** For tests and for pages that embed this one. */
  get hook() {
    return {
      seek: (tick) => this.seek(tick),
      play: () => this.play(),
      pause: () => this.pause(),
      select: (slot) => this.select(slot),
      look: (x, y, scale) => { this.field.lookAt(x, y, scale); this.show(); },
      place: (slot) => placeOf(this, this.game.isThere(slot, this.game.sampleAt(this.tick)) ? this.game.unit(slot, this.game.sampleAt(this.tick), this.tick) : null),
      /** How many milliseconds one drawing takes, as the mean over some. */
      measure: (times) => {
        const before = performance.now();
        for (let n = 0; n < times; n++) { this.draw(); this.showNumbers(); }
        return (performance.now() - before) / times;
      },
      state: () => ({
        tick: this.tick,
        lastTick: this.game.lastTick,
        playing: this.playing,
        speed: this.speed,
        selected: this.selected,
        scale: this.field.scale,
        middle: [this.field.x, this.field.y],
        eyes: this.field.eyes,
        metric: this.timeline.metric,
        units: this.game.unitsAt(this.tick),
        shown: this.field.shownAt(this.tick).map((unit) => unit.slot),
        production: this.game.production(this.tick),
        seen: this.game.sights.map((sight) => sight.at(this.game.sampleAt(this.tick)).reduce((sum, on) => sum + on, 0)),
        creep: this.game.creep ? this.game.creep.at(this.game.sampleAt(this.tick)).reduce((sum, on) => sum + on, 0) : 0,
      }),
    };
  }
}

begin(readGame().then((game) => new GameApp(game)));
