/* The record that is embedded in a page: a header, and columns of numbers. */

const TICKS_PER_S = 22.4; // at the speed "faster", at which the game is played

/** Read the embedded record: [header, columns, what follows them]. */
async function readRecord() {
  const bytes = await readEmbedded("record");
  const headerSize = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerSize)));
  const size = header.layout.reduce((sum, [, rows, length]) => sum + 2 * rows * length, 0);
  return [header, readColumns(header.layout, bytes, 4 + headerSize), bytes.subarray(4 + headerSize + size)];
}

/** Undo packing.pack: low bytes, high bytes, differences along each row. */
function readColumns(layout, bytes, at) {
  const columns = {};
  for (const [name, rows, length] of layout) {
    const column = new Uint16Array(rows * length), high = at + rows * length;
    for (let row = 0, i = 0; row < rows; row++) {
      for (let k = 0, sum = 0; k < length; k++, i++) {
        sum = (sum + bytes[at + i] + (bytes[high + i] << 8)) & 65535;
        column[i] = sum;
      }
    }
    columns[name] = column;
    at = high + rows * length;
  }
  return columns;
}

function runningSums(values) {
  let sum = 0;
  return Array.from(values, (value) => (sum += value));
}

/** Where the entries of each group begin in a sorted list; one more than groups. */
function starts(sorted, nGroups) {
  const first = new Uint32Array(nGroups + 1);
  for (const group of sorted) first[group + 1]++;
  for (let g = 0; g < nGroups; g++) first[g + 1] += first[g];
  return first;
}

function lastNotAfter(times, time) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
}

/** The shorter way from one angle to another. */
function turn(from, to) {
  const difference = to - from;
  return difference - 2 * Math.PI * Math.round(difference / (2 * Math.PI));
}

const LINGER_TICKS = 14; // how long the name of a cast stays: many take no time

/** Buffs, casts, areas: all that lasts for a while. */
function readSpans(header, c, toPlace) {
  return Array.from(c["spans.what"], (what, i) => ({
    what: header.spanKinds[what],
    skill: header.skills[c["spans.skill"][i] - 1],
    side: c["spans.side"][i],
    slot: c["spans.slot"][i],
    target: c["spans.target"][i] - 1,
    tick: c["spans.tick_low"][i] + c["spans.tick_high"][i] * 65536,
    until: c["spans.until_low"][i] + c["spans.until_high"][i] * 65536,
    ticks: c["spans.ticks"][i],
    x: toPlace(c["spans.x"][i]),
    y: toPlace(c["spans.y"][i]),
  }));
}

/** What lasts at a tick, with the share of its time that is left, if anybody knows it. */
function lasting(spans, tick) {
  return spans
    .filter((s) => s.tick <= tick && tick < s.until + (s.what === "cast" ? LINGER_TICKS : 0))
    .map((s) => ({ ...s, left: s.ticks > 0 ? Math.max(0, 1 - (tick - s.tick) / s.ticks) : null, over: tick >= s.until }));
}
