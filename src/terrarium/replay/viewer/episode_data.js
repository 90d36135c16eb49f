/* The episode: texts become numbers, numbers become answers to "who, where, when". */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const TEAM_COLORS = ["ally", "enemy", "energy", "life", "guard", "harm", "life_low", "boost"];

async function readEpisode() {
  const bytes = await readEmbedded("record");
  return new Episode(JSON.parse(new TextDecoder().decode(bytes)));
}

class Episode {
  constructor(table) {
    Object.assign(this, table); // title, task, seed, agents, teams, n_steps, fps, bounds, far, palette
    this.nAgents = this.agents.length;
    this.rewards = floats(table.rewards); // [T, A]
    this.present = bytesOf(table.present); // [T+1, A]
    this.returns = this.readReturns();
    this.isDrawn = Boolean(table.things);
    // In a game of two players of one name, the mean of both says nothing.
    const alike = !this.isDrawn && this.teams.length === 1 && this.nAgents <= TEAM_COLORS.length;
    if (alike) this.teams = this.agents.map((name, a) => ({ name, members: [a] }));
    this.teamRewards = this.teams.map((team) => this.readTeam(team));
    if (this.isDrawn) this.readParticles(table);
  }

  readParticles({ positions, colors, messages }) {
    this.positions = floats(positions); // [T+1, E, 2]
    this.colors = bytesOf(colors); // [T+1, E, 3]
    this.messages = floats(messages); // [T+1, A, C]
    this.loudest = this.messages.reduce((most, word) => Math.max(most, Math.abs(word)), 0);
    this.bodies = this.agents.map((name) => this.things.findIndex((thing) => thing.kind === "agent" && thing.name === name));
    this.agentOf = this.things.map((thing) => (thing.kind === "agent" ? this.agents.indexOf(thing.name) : -1));
  }

  get speaks() {
    return this.isDrawn && this.loudest > 0;
  }

  /** What each agent has got so far: [T+1, A]. */
  readReturns() {
    const { nAgents, rewards } = this, sums = new Float64Array((this.n_steps + 1) * nAgents);
    for (let i = 0; i < rewards.length; i++) sums[i + nAgents] = sums[i] + rewards[i];
    return sums;
  }

  /** The mean reward of a team at each step: [T]. */
  readTeam({ members }) {
    return Array.from({ length: this.n_steps }, (_, t) => mean(members.map((a) => this.rewards[t * this.nAgents + a])));
  }

  /** The step that has been made last; 0 before the first. */
  stepAt(tick) {
    return Math.floor(tick + 1e-6);
  }

  returnOf(agent, step) {
    return this.returns[step * this.nAgents + agent];
  }

  /** The reward of the step made last, or nothing before the first. */
  rewardOf(agent, step) {
    return step > 0 ? this.rewards[(step - 1) * this.nAgents + agent] : null;
  }

  isThere(agent, step) {
    return this.present[step * this.nAgents + agent] > 0;
  }

  /** Where a thing is between two steps, or nothing while it is put away. */
  place(thing, tick) {
    const step = this.stepAt(tick), share = Math.max(0, tick - step), n = this.things.length;
    const at = 2 * (step * n + thing), next = 2 * (Math.min(step + 1, this.n_steps) * n + thing);
    const [x, y] = [this.positions[at], this.positions[at + 1]];
    if (Math.max(Math.abs(x), Math.abs(y)) >= this.far) return null;
    const [toX, toY] = [this.positions[next], this.positions[next + 1]];
    // What jumps, because it was put away or appears elsewhere, does not glide there.
    if (Math.hypot(toX - x, toY - y) > 0.5) return [x, y];
    return [x + share * (toX - x), y + share * (toY - y)];
  }

  colorOf(thing, step) {
    const at = 3 * (step * this.things.length + thing);
    return [this.colors[at], this.colors[at + 1], this.colors[at + 2]];
  }

  /** What an agent says: its words' values, and the letter of the strongest. */
  message(agent, step) {
    if (!this.speaks) return null;
    const at = (step * this.nAgents + agent) * this.n_words;
    const values = [...this.messages.subarray(at, at + this.n_words)];
    const most = Math.max(...values.map(Math.abs));
    if (!(most > 0)) return null;
    const best = values.findIndex((value) => Math.abs(value) === most);
    return { values, letter: best < LETTERS.length ? LETTERS[best] : `#${best + 1}` };
  }

  /** Which picture is shown at a step: of every so many there is one, and of the end. */
  pictureAt(step) {
    return step >= this.n_steps ? this.pictures.length - 1 : Math.floor(step / this.picture_every);
  }

  /** The color of a team: its first agent's, or one of ours where that says nothing. */
  teamColors(scheme) {
    const taken = [];
    return this.teams.map(({ members }, n) => {
      const body = this.isDrawn ? this.bodies[members[0]] : -1;
      const own = body >= 0 ? visible(this.colorOf(body, 0), scheme.void) : null;
      const free = TEAM_COLORS.map((name) => scheme[name]).filter((color) => !taken.includes(color));
      const color = own && !taken.includes(own) ? own : free[0] ?? scheme[TEAM_COLORS[n % TEAM_COLORS.length]];
      taken.push(color);
      return color;
    });
  }
}

function floats(base64) {
  return new Float32Array(bytesOf(base64).buffer);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** A color moved away from the ground until it can be told from it. */
function visible(color, ground) {
  const below = light(rgb(ground)), target = below < 0.5 ? 255 : 0;
  const contrast = (c) => (Math.max(light(c), below) + 0.05) / (Math.min(light(c), below) + 0.05);
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = color.map((part) => Math.round(part + share * (target - part)));
    if (contrast(mixed) >= 3.5) return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }
  return target ? "#ffffff" : "#000000";
}

function rgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** Relative luminance, as WCAG defines it. */
function light(color) {
  const [r, g, b] = color.map((part) => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
