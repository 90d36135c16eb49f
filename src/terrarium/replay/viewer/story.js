/* Why it happened: the latest reasons that the players gave, newest first. */

const STORY_LINES = 6;

class Story {
  constructor(battle, select) {
    this.battle = battle;
    this.select = select;
    this.entries = this.readEntries();
    this.shown = -1;
    $("story").hidden = !this.entries.length;
  }

  /** Units of one type that have the same reason at the same time are told together. */
  readEntries() {
    const { battle } = this, entries = [];
    for (const { slot, tick, reason } of battle.whys) {
      if (!reason) continue;
      const k = battle.sampleAt(tick), title = battle.titleOf(slot, k);
      const same = entries.findLast((e) => e.tick === tick && e.title === title && e.reason === reason);
      if (same) same.n++;
      else entries.push({ slot, tick, title, reason, n: 1, side: battle.sample(slot, k).side });
    }
    return entries;
  }

  show(tick) {
    const last = lastNotAfter([-1, ...this.entries.map((entry) => entry.tick)], tick); // entries so far
    if (last === this.shown) return;
    this.shown = last;
    $("story").replaceChildren(...this.entries.slice(Math.max(0, last - STORY_LINES), last).reverse().map((entry) => this.line(entry)));
  }

  /** "12.5 s  4 Marine: stim, 6 zerglings in reach". */
  line({ slot, tick, title, reason, n, side }) {
    const line = document.createElement("li"), time = document.createElement("small"), who = document.createElement("b");
    line.className = side === 0 ? "ally" : "enemy";
    time.textContent = `${(tick / TICKS_PER_S).toFixed(1)} s`;
    who.textContent = n > 1 ? `${n} ${title}` : title;
    line.append(time, who, `: ${reason}`);
    line.onclick = () => this.select(slot);
    return line;
  }
}
