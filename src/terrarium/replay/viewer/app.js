/* The page: time, controls, the panel of the selected unit, keys and fingers. */

const EYES = [[-1, "All eyes"], [0, "Allies' eyes"], [1, "Enemies' eyes"]];

class App extends Player {
  constructor(battle) {
    super(battle.lastTick, TICKS_PER_S);
    this.battle = battle;
    this.firstTick = this.tick = battle.firstTick;
    this.selected = NO_UNIT;
    this.field = new Field($("field"), battle);
    this.timeline = new Timeline($("timeline"), battle);
    this.panel = new Panel(battle);
    this.story = new Story(battle, (slot) => this.select(slot));
    this.writeNames();
    this.wireControls();
    this.wireKeys(this.ownKeys(), (direction) => this.selectNext(direction));
    wireMap(this);
    this.wireTimeline();
    new ResizeObserver(() => this.resize()).observe(document.querySelector("main"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    this.resize();
    this.goToHash();
  }

  writeNames() {
    const { battle } = this, { about, result } = battle;
    $("title").textContent = about.title;
    $("meta").textContent = `${about.scenario} · seed ${about.seed} · ${about.ruleset}, rules ${about.rules_version}`;
    $("meta").title = about.scenario_title;
    $("result").textContent = result.text;
    $("result").className = result.winner;
    ["allies", "enemies"].forEach((army, side) => {
      const names = battle.upgrades[side].join(", ");
      $(`${army}-upgrades`).textContent = $(`${army}-upgrades`).title = names;
      $(`${army}-upgrades`).hidden = !names;
    });
  }

  /** The beginning of the next step, or of this one, or of the one before. */
  nextStop(direction) {
    const { stepTicks } = this.battle;
    return direction > 0
      ? stepTicks.find((tick) => tick > this.tick + 1e-6)
      : stepTicks.findLast((tick) => tick < this.tick - 1e-6);
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
    this.show();
  }

  draw() {
    this.field.draw(this.tick, this.selected);
    this.timeline.draw(this.tick);
  }

  showNumbers() {
    const { battle, tick } = this, k = battle.sampleAt(tick), { life, alive } = battle.strength;
    this.showClock();
    $("step").textContent = `${battle.nSteps ? battle.stepAt(tick) + 1 : 0} / ${battle.nSteps}`;
    ["allies", "enemies"].forEach((army, side) => {
      $(`${army}-alive`).textContent = alive[side][k];
      $(`${army}-life`).textContent = Math.round(life[side][k]);
      $(`${army}-meter`).style.width = `${(100 * life[side][k]) / Math.max(1, life[side][0])}%`;
    });
    this.panel.show(this.selected, tick);
    this.story.show(tick);
    showTip(this);
  }

  // --- selection --------------------------------------------------------------------------

  select(slot) {
    this.selected = slot >= 0 && slot < this.battle.nUnits ? slot : NO_UNIT;
    this.show();
  }

  selectNext(direction) {
    const living = this.battle.unitsAt(this.tick).map((unit) => unit.slot);
    if (!living.length) return;
    const next = direction > 0
      ? living.find((slot) => slot > this.selected) ?? living[0]
      : living.findLast((slot) => slot < this.selected) ?? living[living.length - 1];
    this.select(next);
  }

  /** Look through everybody's eyes, the allies', the enemies': what a side does not see is faint. */
  nextEyes() {
    const at = (EYES.findIndex(([side]) => side === this.field.eyes) + 1) % EYES.length;
    [this.field.eyes, $("eyes").textContent] = EYES[at];
    $("eyes").className = ["", "ally", "enemy"][at];
    this.show();
  }

  // --- input ------------------------------------------------------------------------------

  wireControls() {
    this.wirePlayback();
    $("eyes").onclick = () => this.nextEyes();
    $("panel-close").onclick = () => this.select(NO_UNIT);
  }

  ownKeys() {
    return {
      ...mapKeys(this),
      f: () => this.nextEyes(),
    };
  }

  /** battle.html#t=4.2&unit=3 opens at that second, with that unit selected. */
  goToHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("unit")) this.select(Number(wanted.get("unit")) | 0);
    if (Number.isFinite(parseFloat(wanted.get("t")))) this.seek(parseFloat(wanted.get("t")) * TICKS_PER_S);
  }

  /** For tests and for pages that embed this one. */
  get hook() {
    return {
      seek: (tick) => this.seek(tick),
      play: () => this.play(),
      pause: () => this.pause(),
      select: (slot) => this.select(slot),
      place: (slot) => placeOf(this, this.battle.unitsAt(this.tick).find((u) => u.slot === slot)),
      state: () => ({
        tick: this.tick,
        lastTick: this.battle.lastTick,
        playing: this.playing,
        speed: this.speed,
        step: this.battle.stepAt(this.tick),
        selected: this.selected,
        scale: this.field.scale,
        units: this.battle.unitsAt(this.tick),
        missiles: this.battle.missilesAt(this.tick),
        spans: this.battle.spansAt(this.tick),
        eyes: this.field.eyes,
      }),
    };
  }
}

begin(readRecord().then(([header, columns]) => new App(new Battle(header, columns))));
