/* What a page with a map has: pointers, fingers, zoom, and words beside the pointer. */

// An app has `field`, `tick`, `selected`, `show()`, `select(slot)` and `panel.line(slot, tick)`.

const ZOOM = 1.3; // of a key or a button
const NO_UNIT = -1;

/** Drag moves, two fingers or the wheel zoom, a tap selects. */
function wireMap(app) {
  const canvas = $("field"), fingers = new Map();
  let moved = 0;
  const place = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomMap(app, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...place(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (!fingers.size) moved = 0;
    fingers.set(event.pointerId, place(event));
  });
  const point = (event) => {
    app.pointer = event.type === "pointermove" && event.pointerType === "mouse" && !event.buttons ? place(event) : null;
    showTip(app);
  };
  canvas.addEventListener("pointerleave", point);
  canvas.addEventListener("pointermove", (event) => {
    point(event);
    if (!fingers.has(event.pointerId)) return;
    const before = pinch(fingers), [x, y] = fingers.get(event.pointerId), [toX, toY] = place(event);
    fingers.set(event.pointerId, [toX, toY]);
    moved += Math.hypot(toX - x, toY - y);
    if (moved < 5) return;
    const now = pinch(fingers);
    app.field.pan(now.x - before.x, now.y - before.y);
    if (fingers.size > 1) app.field.zoom(now.apart / Math.max(1, before.apart), now.x, now.y);
    app.show();
  });
  const lift = (event) => {
    const tapped = fingers.size === 1 && moved < 5 && event.type === "pointerup";
    fingers.delete(event.pointerId);
    if (tapped) app.select(app.field.pick(...place(event), app.tick));
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  $("zoom-in").onclick = () => zoomMap(app, ZOOM);
  $("zoom-out").onclick = () => zoomMap(app, 1 / ZOOM);
  $("fit").onclick = () => fitMap(app);
}

function zoomMap(app, factor, ...at) {
  app.field.zoom(factor, ...at);
  app.show();
}

function fitMap(app) {
  app.field.fit();
  app.show();
}

function mapKeys(app) {
  return {
    "+": () => zoomMap(app, ZOOM),
    "=": () => zoomMap(app, ZOOM),
    "-": () => zoomMap(app, 1 / ZOOM),
    0: () => fitMap(app),
    Escape: () => app.select(NO_UNIT),
  };
}

/** The unit under the pointer, in a line. */
function showTip(app) {
  const tip = $("tip"), [x, y] = app.pointer ?? [];
  const slot = app.pointer ? app.field.pick(x, y, app.tick) : NO_UNIT;
  tip.hidden = slot === NO_UNIT || slot === app.selected;
  if (tip.hidden) return;
  tip.textContent = app.panel.line(slot, app.tick);
  const left = Math.min(x + 16, $("field").clientWidth - tip.offsetWidth - 8);
  tip.style.transform = `translate(${Math.max(8, left)}px, ${y + 18}px)`;
}

/** Where a unit is on the screen, in pixels of the window. */
function placeOf(app, unit) {
  if (!unit) return null;
  const box = $("field").getBoundingClientRect(), [x, y] = app.field.toScreen(unit.x, unit.y);
  return { x: box.left + x, y: box.top + y };
}

/** Middle and spread of one or two fingers. */
function pinch(fingers) {
  const [a, b = a] = [...fingers.values()];
  return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
}
