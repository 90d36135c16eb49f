/* Layers of the ground that change: creep and fog, one dot a cell, drawn large and soft. */

/** A small picture of cells; its first row is y = 0, at the bottom. */
class Veil {
  constructor(width, height) {
    this.canvas = document.createElement("canvas");
    this.canvas.width = width;
    this.canvas.height = height;
    this.pen = this.canvas.getContext("2d");
    this.image = this.pen.createImageData(width, height);
    this.key = "";
  }

  /** Paint it anew if `key` is another one; `alphaOf` gives how dense each cell is. */
  paint(key, color, alphaOf) {
    if (key === this.key) return;
    this.key = key;
    const { width, height } = this.canvas, { data } = this.image, [r, g, b] = channels(color);
    for (let y = 0, cell = 0; y < height; y++) {
      let dot = 4 * (height - 1 - y) * width;
      for (let x = 0; x < width; x++, cell++, dot += 4) {
        data[dot] = r; data[dot + 1] = g; data[dot + 2] = b; data[dot + 3] = alphaOf(cell);
      }
    }
    this.pen.putImageData(this.image, 0, 0);
  }
}

class Layers {
  constructor(game) {
    this.game = game;
    const { width, height } = game.map;
    this.creep = new Veil(width, height);
    this.fog = new Veil(width, height);
  }

  /** The creep at a sample as a picture, or null where the game has none. */
  creepAt(k, color) {
    const { creep } = this.game;
    if (!creep) return null;
    const cells = creep.at(k);
    this.creep.paint(`${creep.n} ${color}`, color, (cell) => cells[cell] * 165);
    return this.creep.canvas;
  }

  /** What a player does not see now as a picture: dark, and darker where it has never been. */
  fogAt(k, owner, color) {
    const sight = this.game.sights[owner - 1];
    if (!sight) return null;
    const cells = sight.at(k), { everOn } = sight;
    this.fog.paint(`${owner} ${sight.n} ${color}`, color, (cell) => (cells[cell] ? 0 : everOn[cell] <= k ? 110 : 185));
    return this.fog.canvas;
  }
}

/** Red, green and blue of "#rrggbb". */
function channels(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}
