/* What every page that plays something has: time, its controls, and keys. */

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const PLAY_SHAPE = "M8 5v14l11-7z", PAUSE_SHAPE = "M7 5h3.500v14H7zM13.500 5H17v14h-3.500z";

const $ = (id) => document.getElementById(id);

/** The colors of the page's scheme, by the names of palette.json. */
function readColors() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (_, name) => style.getPropertyValue(`--${name}`).trim() });
}

/** Colors as plain values: asking the style for each unit would be slow. */
function colorTable(names) {
  const colors = readColors();
  return Object.fromEntries(names.map((name) => [name, colors[name]]));
}

/** Unpack what is embedded in the page. */
async function readEmbedded(id) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old to unpack this page. Use Chrome 111, Firefox 113, Safari 16.4 or later.");
  }
  const packed = bytesOf($(id).textContent);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** A page has `draw()`, `showNumbers()`, and `nextStop(direction)`: where a step to either side leads. */
class Player {
  constructor(lastTick, ticksPerS, speeds = SPEEDS) {
    this.speeds = speeds;
    this.firstTick = 0;
    this.lastTick = lastTick;
    this.ticksPerS = ticksPerS;
    this.tick = 0;
    this.playing = false;
    this.speed = 1;
  }

  // --- time -------------------------------------------------------------------------------

  seek(tick) {
    this.tick = Math.min(this.lastTick, Math.max(this.firstTick, tick));
    if (this.tick > this.firstTick) $("begin").hidden = true;
    this.show();
  }

  play() {
    if (this.tick >= this.lastTick) this.tick = this.firstTick;
    this.playing = true;
    $("begin").hidden = true;
    this.showPlaying();
    let before = performance.now();
    const advance = (now) => {
      if (!this.playing) return;
      // A page in the background gets no frames; it goes on where it was.
      const elapsed = Math.min(0.25, Math.max(0, (now - before) / 1000));
      before = now;
      this.seek(this.tick + elapsed * this.ticksPerS * this.speed);
      if (this.tick >= this.lastTick) this.pause();
      else requestAnimationFrame(advance);
    };
    requestAnimationFrame(advance);
  }

  pause() {
    this.playing = false;
    this.showPlaying();
  }

  toggle() {
    if (this.playing) this.pause(); else this.play();
  }

  stepBy(direction) {
    this.pause();
    this.seek(this.nextStop(direction) ?? (direction > 0 ? this.lastTick : this.firstTick));
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = speed;
  }

  changeSpeed(by) {
    const { speeds } = this, at = speeds.indexOf(this.speed) + by;
    this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, at))]);
  }

  // --- what is shown ----------------------------------------------------------------------

  show() {
    this.showNumbers();
    if (this.waiting) return; // one drawing a frame, however many events there are
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  showPlaying() {
    $("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    $("play-shape").setAttribute("d", this.playing ? PAUSE_SHAPE : PLAY_SHAPE);
  }

  showClock() {
    $("time").textContent = this.clock(this.tick);
    $("scrub").value = this.tick;
    $("scrub").setAttribute("aria-valuetext", `${this.clock(this.tick)} of ${this.clock(this.lastTick)}`);
  }

  clock(tick) {
    return clock(tick, this.ticksPerS);
  }

  // --- input ------------------------------------------------------------------------------

  wirePlayback() {
    $("duration").textContent = this.clock(this.lastTick);
    $("scrub").max = this.lastTick;
    for (const speed of this.speeds) $("speed").add(new Option(`${speed}×`, speed, speed === 1, speed === 1));
    $("play").onclick = () => this.toggle();
    $("begin").onclick = () => { this.play(); $("field").focus(); };
    $("back").onclick = () => this.stepBy(-1);
    $("forward").onclick = () => this.stepBy(1);
    $("scrub").oninput = () => this.seek(Number($("scrub").value));
    $("speed").onchange = () => this.setSpeed(Number($("speed").value));
    $("help-open").onclick = () => $("help").showModal();
  }

  /** The keys that every page has, those of this one, and what Tab selects, if anything. */
  wireKeys(ownKeys, selectNext) {
    const keys = {
      " ": () => this.toggle(),
      ArrowRight: () => this.stepBy(1),
      ArrowLeft: () => this.stepBy(-1),
      Home: () => this.seek(0),
      End: () => this.seek(this.lastTick),
      "[": () => this.changeSpeed(-1),
      "]": () => this.changeSpeed(1),
      "?": () => $("help").showModal(),
      ...ownKeys,
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
      const on = event.target;
      // A focused control keeps its own keys, and Tab leads through the controls from there.
      const own = on.tagName === "BUTTON" ? [" ", "Enter", "Tab"]
        : on.tagName === "SELECT" || on.tagName === "INPUT" ? ["ArrowLeft", "ArrowRight", "Home", "End", "Tab"] : [];
      if (own.includes(event.key)) return;
      const action = event.key === "Tab" && selectNext ? () => selectNext(event.shiftKey ? -1 : 1) : keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  wireTimeline() {
    const canvas = $("timeline");
    const seek = (event) => this.seek(this.timeline.toTick(event.offsetX));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) seek(event);
    });
  }
}

/** Minutes and seconds at the speed 1. */
function clock(tick, ticksPerS) {
  const tenths = Math.round((tick / ticksPerS) * 10);
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}

/** Show a page, or say why it cannot be shown. */
function begin(reading) {
  reading.then((app) => { window.terrarium = app.hook; }).catch((error) => {
    $("message").textContent = error.message;
    $("message").hidden = false;
    $("begin").hidden = true;
    console.error(error);
  });
}

/** Give a canvas as many dots as the screen has there. */
function fitDots(canvas) {
  const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(box.width * ratio);
  canvas.height = Math.round(box.height * ratio);
  return { width: box.width, height: box.height, ratio };
}
