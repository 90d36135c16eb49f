/* The ground, drawn once: rock, levels, ramps and the shadows of cliffs. */

const CELL = 24; // pixels of a cell in the prepared picture

/** The ground as a picture; its first row of cells is y = 0, at the bottom. */
function drawGround(terrain, colors) {
  const { width, height } = terrain, cell = Math.max(4, Math.min(CELL, Math.floor(4096 / Math.max(width, height))));
  const canvas = document.createElement("canvas");
  canvas.width = width * cell;
  canvas.height = height * cell;
  const pen = canvas.getContext("2d");
  const at = (x, y) => (x < 0 || y < 0 || x >= width || y >= height ? "#" : terrain.cells[y][x]);
  const walkable = (x, y) => at(x, y) !== "#";
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const left = x * cell, top = (height - 1 - y) * cell;
      pen.fillStyle = groundColor(at(x, y), (x + y) % 2, colors);
      pen.fillRect(left, top, cell, cell);
      if (walkable(x, y)) { // a little grain, the same in every picture
        pen.fillStyle = colors.rim;
        pen.globalAlpha = grain(x, y);
        pen.fillRect(left, top, cell, cell);
        pen.globalAlpha = 1;
      }
      if ("abc".includes(at(x, y))) drawRamp(pen, left, top, cell, "abc".indexOf(at(x, y)), colors);
      if (terrain.creep && terrain.creep[y][x] === "~") {
        pen.fillStyle = colors.creep;
        pen.globalAlpha = 0.5;
        pen.fillRect(left, top, cell, cell);
        pen.globalAlpha = 1;
      }
    }
  }
  const edge = Math.max(1, cell / 12);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const left = x * cell, top = (height - 1 - y) * cell;
      if (!walkable(x, y)) continue;
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        const wall = !walkable(x + dx, y + dy);
        const falls = !wall && stepHeight(at(x, y)) - stepHeight(at(x + dx, y + dy)) > 1;
        if (!wall && !falls) continue;
        pen.fillStyle = colors.rim;
        edgeOf(pen, left, top, cell, dx, dy, edge);
        if (falls) { // a cliff casts a shadow on its low side
          pen.fillStyle = colors.cliff;
          pen.globalAlpha = 0.65;
          edgeOf(pen, left + dx * cell, top - dy * cell, cell, -dx, -dy, cell * 0.35);
          pen.globalAlpha = 1;
        }
      }
    }
  }
  return canvas;
}

/** How much lighter a cell is than its kind. */
function grain(x, y) {
  return (((x * 73 + y * 151 + x * y * 31) % 101) / 101) * 0.09;
}

function groundColor(sign, odd, colors) {
  if (sign === "#") return odd ? colors.rock : colors.void;
  return { 0: colors.ground0, 1: colors.ground1, 2: colors.ground2 }[sign] || colors.ground1;
}

/** Fill a strip of a cell along the side that looks to (dx, dy). */
function edgeOf(pen, left, top, cell, dx, dy, thick) {
  if (dx) pen.fillRect(dx > 0 ? left + cell - thick : left, top, thick, cell);
  else pen.fillRect(left, dy > 0 ? top : top + cell - thick, cell, thick);
}

/** A ramp grows lighter towards its upper third. */
function drawRamp(pen, left, top, cell, third, colors) {
  pen.fillStyle = colors.ramp;
  pen.globalAlpha = 0.3 + 0.3 * third;
  pen.fillRect(left, top, cell, cell);
  pen.globalAlpha = 1;
}

/** Four steps from level to level, the thirds of a ramp between: as walkers see it. */
function stepHeight(sign) {
  const third = "abc".indexOf(sign);
  return third < 0 ? 4 * Number(sign) : 5 + third;
}
