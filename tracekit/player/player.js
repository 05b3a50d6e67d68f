/* tracekit's player: one ES module, no dependency, no network, no global.
 *
 *   import { mount } from "./player.js";              // its stylesheet is player.css
 *   const player = mount(element, { traces: [trace] });
 *
 * mount(element, options) draws a player into `element`, which may lie in a shadow root that
 * holds player.css; everything lies under one element of the class `tk`. Options:
 *   traces     one or two trace documents (schema version 2, parsed JSON); two play side by side
 *   following  true: show the newest row as rows arrive (a live run); default: status is "streaming"
 *   step       show this many rows at first;  time   or: the moment `time` (recorded seconds)
 *   speed      1 is as recorded; default 1, or slow motion for a run too short to see
 *   theme      "auto" (as the system has it), "light" or "dark"
 *   labels     a name a trace, shown in place of the model's
 *   keys       what to listen for keys on; default the player's own element
 *   onSave     (lane) => void: there, the player has a button "Save JSON" a trace
 *   onEvent    (event) => void, with event.type one of
 *                "step"  {step, time}: the player rests at another step (paused, stepped, sought, ended)
 *                "play", "pause", "end", "speed" {speed}, "following" {following}
 *
 * It returns a handle:
 *   update(traces)              whole documents again. The same run (equal id) that has grown keeps its
 *                               place and takes only the new rows, so calling it with every snapshot is cheap
 *   append(rows, tail?, lane=0) rows that have arrived; `tail` ({status, summary?, error?,
 *                               inference_seconds?}) once the run has ended
 *   seek({step}) or seek({time}), play(), pause()
 *   set({speed, rowsPerSecond, maxPause, loop, sync, following, theme})   any of these; null clears
 *   state()    {step, steps, time, duration, playing, following, speed, …}
 *   timing()   {count, median, p99}: measured milliseconds between a row's time and its frame
 *   destroy()  stop, remove the elements and every listener
 */

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
const FASTEST = 16;
const SLOWEST = 1e-6;
const SLOW_SECONDS = 20; // what slow motion stretches a run to
const TOO_SHORT_SECONDS = 2; // a shorter run starts in slow motion
const FRAME_MS = 1000 / 60;
const PAGE_TOKENS = 400; // the most tokens that are elements at once
const TRAIL_STEPS = 14;
const LONGEST_TEXT = 400; // characters of a token or letter that are drawn
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const UNKNOWN = 0, RIGHT = 1, WRONG = 2, INVALID = 4; // a row's mark, as bits
const COLOURS = ["text", "muted", "faint", "line", "panel", "page", "right", "wrong", "invalid", "warn", "accent", "on"];

// ---------------------------------------------------------------- words and elements

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const ICONS = {
  restart: "M6 5h2.4v14H6zM19 5v14L9.4 12z",
  back: "M15.5 5v14L6 12z",
  play: "M7.5 4.5v15L20 12z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  next: "M8.5 5v14L18 12z",
  repeat: "M7 7h9.2l-2-2L15.600 3.600 20 8l-4.400 4.400L14.200 11l2-2H9v3H7zM17 17H7.800l2 2-1.400 1.400L4 16l4.400-4.400L9.800 13l-2 2H15v-3h2z",
  follow: "M4 5l7 7-7 7zM11 5l7 7-7 7zM18 5h2.200v14H18z",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18v-2a7 7 0 0 0 0-14z",
  save: "M11 4h2v8l2.800-2.800 1.400 1.400L12 15.800l-5.200-5.200 1.400-1.400L11 12zM5 18h14v2H5z",
};

function clip(text, longest = LONGEST_TEXT) {
  return text.length > longest ? text.slice(0, longest) + "…" : text;
}

/** A token's text with its blanks made visible. */
function visible(text) {
  return clip(text).replace(/ /g, "␣").replace(/\r?\n/g, "⏎").replace(/\t/g, "⇥") || "∅";
}

function percent(probability) {
  if (!Number.isFinite(probability)) return "–";
  const value = probability * 100;
  if (value > 0 && value < 0.1) return "<0.1 %";
  return (value > 99.9 && value < 100 ? ">99.9" : value.toFixed(1)) + " %";
}

function seconds(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-3) return `${(value * 1e6).toPrecision(3)} µs`;
  if (size < 1) return `${(value * 1e3).toPrecision(3)} ms`;
  return `${value.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1)} s`;
}

/** A moment in the unit of the whole, so that a running clock keeps its width. */
function clock(value, whole) {
  if (whole < 1e-3) return `${(value * 1e6).toFixed(0)} µs`;
  if (whole < 1) return `${(value * 1e3).toFixed(2)} ms`;
  if (whole < 60) return `${value.toFixed(2)} s`;
  return `${Math.floor(value / 60)}:${(value % 60).toFixed(1).padStart(4, "0")}`;
}

function number(value) {
  return value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : 0 });
}

function times(speed) {
  return speed >= 0.01 ? `${+speed.toFixed(2)}×` : `${+speed.toPrecision(2)}×`;
}

// ---------------------------------------------------------------- a trace as columns

/** The number of values in the ascending `values[0..length)` that are at most `limit`. */
function upperBound(values, length, limit) {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A typed array that grows. */
class Column {
  constructor(Type) {
    this.data = new Type(256);
    this.length = 0;
    this.low = Infinity;
    this.high = -Infinity;
  }

  push(value) {
    if (this.length === this.data.length) {
      const grown = new this.data.constructor(this.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = value;
    if (value < this.low) this.low = value;
    if (value > this.high) this.high = value;
  }

  get empty() {
    return this.high < this.low; // not one finite value
  }
}

/** One trace: its rows as they are, and what is drawn of them as columns. */
class Reel {
  constructor(trace) {
    this.trace = trace;
    this.isLoop = trace.kind !== "token";
    this.rows = [];
    this.times = new Column(Float64Array);
    this.gaps = new Column(Float64Array);
    this.marks = new Column(Uint8Array);
    this.probability = new Column(Float32Array);
    this.stop = new Column(Float32Array);
    this.entropy = new Column(Float32Array);
    this.kl = new Column(Float32Array);
    this.cosine = new Column(Float32Array);
    this.crossing = -1;
    this.firstError = -1;
    this.threshold = trace.settings?.threshold ?? NaN;
    this.mapping = readMapping(trace.request);
    this.extend(trace.trace ?? []);
  }

  get length() {
    return this.rows.length;
  }

  get ended() {
    return this.trace.status !== "streaming";
  }

  get last() {
    return this.length ? this.times.data[this.length - 1] : 0;
  }

  get end() {
    return Math.max(this.last, this.trace.inference_seconds ?? 0);
  }

  extend(rows) {
    for (const row of rows) this.push(row);
  }

  push(row) {
    const at = this.length, time = Math.max(this.last, row.arrival_seconds);
    this.gaps.push(time - this.last);
    this.times.push(time);
    this.rows.push(row);
    this.marks.push(markOf(row));
    this.probability.push(row.logprob === undefined ? NaN : Math.exp(row.logprob));
    this.stop.push(row.stop_probability ?? NaN);
    for (const name of ["entropy", "kl", "cosine"]) this[name].push(row[name] ?? NaN);
    if (this.crossing < 0 && row.stop_probability >= this.threshold) this.crossing = at;
    const asked = this.trace.request?.steps ?? Infinity;
    if (this.firstError < 0 && row.correct === false && at < asked) this.firstError = at;
  }

  /** Whether `trace` is this run, grown or ended. */
  continues(trace) {
    return trace.id === this.trace.id && trace.kind === this.trace.kind && trace.trace.length >= this.length && !(this.ended && trace.status === "streaming");
  }

  /** What the run would be called: the model, and in a few words what was asked. */
  get title() {
    return clip(this.trace.model?.name ?? "trace", 60);
  }

  get asked() {
    const request = this.trace.request ?? {};
    if (this.mapping) return `${request.steps} steps from ${request.start}`;
    const prompt = request.prompt ?? request.text;
    if (typeof prompt === "string") return clip(`“${prompt.trim().replace(/\s+/g, " ")}”`, 120);
    return this.isLoop ? "loops" : "tokens";
  }
}

function readMapping(request) {
  if (!Array.isArray(request?.mapping)) return null;
  const table = new Int8Array(26).fill(-1);
  for (const [from, to] of request.mapping) table[LETTERS.indexOf(from)] = LETTERS.indexOf(to);
  return table;
}

function markOf(row) {
  const mark = row.correct === undefined ? UNKNOWN : row.correct ? RIGHT : WRONG;
  return row.edge_valid === false ? mark | INVALID : mark;
}

/** The most probable candidates of a row, as {text, probability, chosen}. */
function candidatesOf(row) {
  if (row.top3) return row.top3.map((one) => candidate(one.symbol, one.probability, one.symbol === row.prediction));
  const chosen = (one) => one.token_id === row.token_id;
  const found = (row.top ?? []).map((one) => candidate(visible(one.text), Math.exp(one.logprob), chosen(one)));
  if (row.logprob !== undefined && !found.some((one) => one.chosen)) {
    found.push(candidate(visible(row.text), Math.exp(row.logprob), true));
  }
  return found;
}

function candidate(text, probability, chosen) {
  return { text: clip(text, 40), probability, chosen };
}

function saidBy(row) {
  return row.prediction ?? row.text ?? "";
}

/** The first step at which two runs differ; -1 if none. A run that is over before the other differs there. */
function firstDifference(one, other) {
  const shared = Math.min(one.length, other.length);
  for (let at = 0; at < shared; at++) {
    const a = one.rows[at], b = other.rows[at];
    if (saidBy(a) !== saidBy(b) || (!one.isLoop && a.token_id !== b.token_id)) return at;
  }
  const shorter = one.length < other.length ? one : other;
  return one.length !== other.length && shorter.ended ? shared : -1;
}

// ---------------------------------------------------------------- time

/**
 * The moments at which something appears, in recorded seconds and as they are due in playing
 * seconds at speed 1. A moment is a row or the end of a run; `m` moments have passed at a position.
 */
class Timeline {
  constructor(reels, sync, pace) {
    this.reels = reels;
    this.byTime = sync === "time" && reels.length > 1;
    this.moments = this.byTime ? this.mergeByTime() : this.mergeByIndex();
    this.length = this.moments.length;
    this.due = paced(this.moments, pace);
  }

  get duration() {
    return this.length ? this.due[this.length - 1] : 0;
  }

  mergeByIndex() {
    const steps = Math.max(...this.reels.map((reel) => reel.length));
    const ended = this.reels.every((reel) => reel.ended);
    const moments = new Float64Array(steps + (ended ? 1 : 0));
    let latest = 0;
    for (let at = 0; at < steps; at++) {
      for (const reel of this.reels) if (at < reel.length) latest = Math.max(latest, reel.times.data[at]);
      moments[at] = latest;
    }
    if (ended) moments[steps] = Math.max(latest, ...this.reels.map((reel) => reel.end));
    return moments;
  }

  mergeByTime() {
    const totals = this.reels.map((reel) => reel.length + (reel.ended ? 1 : 0));
    const moments = new Float64Array(totals[0] + totals[1]);
    this.counts = [new Uint32Array(moments.length + 1), new Uint32Array(moments.length + 1)];
    const passed = [0, 0];
    for (let m = 0; m < moments.length; m++) {
      const next = this.reels.map((reel, lane) => momentOf(reel, passed[lane], totals[lane]));
      const lane = next[0] <= next[1] ? 0 : 1;
      moments[m] = next[lane];
      passed[lane]++;
      this.counts[0][m + 1] = passed[0];
      this.counts[1][m + 1] = passed[1];
    }
    return moments;
  }

  /** How much of a lane has passed after `m` moments: its rows, and one more once it has ended. */
  passed(lane, m) {
    return this.byTime ? this.counts[lane][m] : m;
  }

  /** After how many moments a lane's row `at` is there. */
  momentsUntil(lane, at) {
    if (!this.byTime) return at + 1;
    return upperBound(this.counts[lane], this.counts[lane].length, at);
  }

  recordedAt(position) {
    return between(this.due, this.moments, position);
  }

  positionAt(recorded) {
    return between(this.moments, this.due, recorded);
  }
}

function momentOf(reel, at, total) {
  if (at >= total) return Infinity;
  return at < reel.length ? reel.times.data[at] : reel.end;
}

/** As tracekit.Pace does it: evenly spaced or not, then no pause longer than allowed. */
function paced(moments, { rowsPerSecond, maxPause }) {
  const due = new Float64Array(moments.length);
  let before = 0, sum = 0;
  for (let at = 0; at < moments.length; at++) {
    const moment = rowsPerSecond ? (at + 1) / rowsPerSecond : moments[at];
    sum = maxPause ? sum + Math.min(moment - before, maxPause) : moment;
    before = moment;
    due[at] = sum;
  }
  return due;
}

/** The value on the timeline `to` that lies where `value` lies on the timeline `from`. */
function between(from, to, value) {
  const at = upperBound(from, from.length, value);
  const [start, target] = at ? [from[at - 1], to[at - 1]] : [0, 0];
  if (at === from.length) return target;
  const span = from[at] - start;
  return span > 0 ? target + ((value - start) / span) * (to[at] - target) : target;
}

/** How far from its time each row was shown: a histogram, in steps of 0.05 ms up to a second. */
class Meter {
  constructor() {
    this.bins = new Uint32Array(20001);
    this.count = 0;
  }

  add(milliseconds) {
    this.bins[Math.min(20000, Math.round(Math.abs(milliseconds) * 20))]++;
    this.count++;
  }

  percentile(part) {
    let left = Math.ceil(this.count * part);
    for (let bin = 0; bin < this.bins.length; bin++) if ((left -= this.bins[bin]) <= 0) return bin / 20;
    return NaN;
  }

  read() {
    if (!this.count) return { count: 0, median: null, p99: null };
    return { count: this.count, median: this.percentile(0.5), p99: this.percentile(0.99) };
  }
}

// ---------------------------------------------------------------- canvases

/** A canvas in CSS pixels, with a still layer that is painted again only when its key changes. */
class Surface {
  constructor(name, label) {
    this.canvas = element("canvas", { class: `tk-canvas tk-${name}`, role: "img", "aria-label": label });
    this.pen = this.canvas.getContext("2d");
    this.still = null;
    this.width = this.height = 0;
  }

  fit() {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, { width, height, ratio, still: null });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  begin() {
    this.pen.setTransform(1, 0, 0, 1, 0, 0);
    this.pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return this.pen;
  }

  layer(key, paint) {
    if (!this.width || !this.height) return null;
    if (this.still && this.key === key) return this.still;
    this.still ??= document.createElement("canvas");
    this.still.width = this.canvas.width;
    this.still.height = this.canvas.height;
    const pen = this.still.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    paint(pen);
    this.key = key;
    return this.still;
  }

  stamp(layer, alpha = 1, untilX = this.width) {
    if (!layer || untilX <= 0) return;
    const { pen, ratio } = this;
    pen.save();
    pen.globalAlpha = alpha;
    const width = Math.min(layer.width, Math.round(untilX * ratio));
    if (width) pen.drawImage(layer, 0, 0, width, layer.height, 0, 0, width / ratio, this.height);
    pen.restore();
  }
}

function font(pen, size, weight = 400) {
  pen.font = `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif`;
}

function colourOf(mark, colours) {
  if (mark & INVALID) return colours.invalid;
  return mark & WRONG ? colours.wrong : mark & RIGHT ? colours.right : colours.accent;
}

/** The table as a wheel of letters, its rules as edges, the pointer with its trail. */
class Wheel {
  constructor(reel) {
    this.reel = reel;
    this.surface = new Surface("wheel", "The table of rules as a wheel of 26 letters");
    this.node = element("div", { class: "tk-stage tk-stage-wheel" }, this.surface.canvas);
  }

  draw({ shown, glide, colours, theme }) {
    const { surface, reel } = this;
    surface.fit();
    const size = Math.min(surface.width, surface.height);
    if (!size) return;
    this.radius = size * 0.435;
    this.dot = size * 0.033;
    const pen = surface.begin();
    surface.stamp(surface.layer(theme, (still) => this.paintTable(still, colours)));
    const first = Math.max(0, shown - TRAIL_STEPS);
    for (let at = first; at < shown - 1; at++) this.paintStep(pen, at, 0.1 + 0.5 * ((at - first) / TRAIL_STEPS) ** 1.5, colours);
    if (shown) this.paintCurrent(pen, shown - 1, glide, colours);
    this.paintLetter(pen, this.letterBefore(0), { ring: colours.muted }, colours);
    if (shown) this.paintHere(pen, shown - 1, colours);
    this.paintHub(pen, shown ? reel.rows[shown - 1] : null, colours);
  }

  point(letter) {
    const angle = (letter / 26) * 2 * Math.PI - Math.PI / 2;
    const { width, height } = this.surface;
    return [width / 2 + this.radius * Math.cos(angle), height / 2 + this.radius * Math.sin(angle)];
  }

  /** The letter the pointer stood on before row `at`. */
  letterBefore(at) {
    return LETTERS.indexOf(at ? this.reel.rows[at - 1].prediction : this.reel.trace.request.start);
  }

  paintTable(pen, colours) {
    for (let from = 0; from < 26; from++) {
      this.paintEdge(pen, from, this.reel.mapping[from], { colour: colours.line, width: 1.2, head: 0.32 });
    }
    for (let letter = 0; letter < 26; letter++) this.paintLetter(pen, letter, {}, colours);
  }

  paintStep(pen, at, alpha, colours) {
    const colour = colourOf(this.reel.marks.data[at], colours);
    this.paintEdge(pen, this.letterBefore(at), LETTERS.indexOf(this.reel.rows[at].prediction), { colour, alpha, width: 2.2 });
  }

  paintCurrent(pen, at, glide, colours) {
    const row = this.reel.rows[at], mark = this.reel.marks.data[at];
    const from = this.letterBefore(at), to = LETTERS.indexOf(row.prediction);
    if (mark & WRONG && row.expected) {
      const before = at ? this.reel.rows[at - 1].expected : this.reel.trace.request.start;
      const look = { colour: colours.text, width: 1.8, dash: [5, 5], head: 0.5, alpha: 0.75 };
      this.paintEdge(pen, LETTERS.indexOf(before), LETTERS.indexOf(row.expected), look);
    }
    const look = { colour: colourOf(mark, colours), width: 3.4, head: glide < 1 ? 0 : 0.6, until: glide };
    const tip = this.paintEdge(pen, from, to, look);
    if (glide < 1 && tip) disc(pen, tip, this.dot * 0.5, look.colour);
  }

  paintHere(pen, at, colours) {
    const row = this.reel.rows[at], mark = this.reel.marks.data[at];
    if (mark & WRONG && row.expected) {
      this.paintLetter(pen, LETTERS.indexOf(row.expected), { ring: colours.text, dash: [4, 3] }, colours);
    }
    this.paintLetter(pen, LETTERS.indexOf(row.prediction), { fill: colourOf(mark, colours) }, colours);
  }

  paintLetter(pen, letter, { fill, ring, dash }, colours) {
    if (letter < 0) return;
    const [x, y] = this.point(letter), radius = this.dot * (fill ? 1.22 : 1);
    if (ring) {
      pen.setLineDash(dash ?? []);
      stroke(pen, ring, 1.6, () => pen.arc(x, y, this.dot * 1.36, 0, 7));
      pen.setLineDash([]);
    }
    disc(pen, [x, y], radius, fill ?? colours.panel);
    if (!fill) stroke(pen, colours.faint, 1, () => pen.arc(x, y, radius, 0, 7));
    font(pen, radius * 1.05, fill ? 700 : 500);
    writeAt(pen, LETTERS[letter], x, y + radius * 0.06, fill ? colours.on : colours.text);
  }

  paintHub(pen, row, colours) {
    const centre = [this.surface.width / 2, this.surface.height / 2], size = this.radius * 0.21;
    pen.globalAlpha = 0.9;
    disc(pen, centre, size, colours.panel);
    pen.globalAlpha = 1;
    stroke(pen, colours.line, 1, () => pen.arc(...centre, size, 0, 7));
    font(pen, size * 0.92, 650);
    const mark = row ? markOf(row) : UNKNOWN;
    const letter = clip(row ? row.prediction : this.reel.trace.request.start, 2);
    writeAt(pen, letter, centre[0], centre[1] - size * 0.1, mark & ~RIGHT ? colourOf(mark, colours) : colours.text);
    font(pen, Math.max(9, size * 0.25), 500);
    writeAt(pen, row ? `loop ${row.loop}` : "start", centre[0], centre[1] + size * 0.58, colours.muted);
  }

  /** An edge from letter to letter, bent to the hub; with `until` only so far. Returns its tip. */
  paintEdge(pen, from, to, { colour, width, alpha = 1, dash, head = 0, until = 1 }) {
    if (from < 0 || to < 0) return null;
    pen.globalAlpha = alpha;
    pen.setLineDash(dash ?? []);
    const path = from === to ? this.selfLoop(from) : this.bend(from, to);
    const tip = path(until);
    stroke(pen, colour, width, () => {
      pen.moveTo(...path(0));
      for (let part = 1; part <= 24; part++) pen.lineTo(...path((until * part) / 24));
    });
    pen.setLineDash([]);
    if (head) arrowHead(pen, path(until - 0.03), tip, this.dot * head, colour);
    pen.globalAlpha = 1;
    return tip;
  }

  bend(from, to) {
    const a = this.point(from), b = this.point(to);
    const { width, height } = this.surface;
    const control = [0.3 * ((a[0] + b[0]) / 2) + 0.7 * (width / 2), 0.3 * ((a[1] + b[1]) / 2) + 0.7 * (height / 2)];
    const reach = Math.hypot(control[0] - a[0], control[1] - a[1]) * 2;
    const trim = Math.min(0.3, (this.dot * 1.45) / reach);
    return (part) => quadratic(a, control, b, trim + part * (1 - 2 * trim));
  }

  selfLoop(letter) {
    const [x, y] = this.point(letter), { width, height } = this.surface;
    const out = 1 - (this.dot * 2.1) / this.radius;
    const centre = [width / 2 + (x - width / 2) * out, height / 2 + (y - height / 2) * out];
    const towards = Math.atan2(y - centre[1], x - centre[0]);
    return (part) => {
      const angle = towards + 0.9 + part * (2 * Math.PI - 1.8);
      return [centre[0] + this.dot * 1.15 * Math.cos(angle), centre[1] + this.dot * 1.15 * Math.sin(angle)];
    };
  }
}

function quadratic(a, control, b, part) {
  const rest = 1 - part;
  const mix = (axis) => rest * rest * a[axis] + 2 * rest * part * control[axis] + part * part * b[axis];
  return [mix(0), mix(1)];
}

function stroke(pen, colour, width, path) {
  pen.beginPath();
  path();
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineJoin = pen.lineCap = "round";
  pen.stroke();
}

function disc(pen, [x, y], radius, colour) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fillStyle = colour;
  pen.fill();
}

function arrowHead(pen, [fromX, fromY], [x, y], size, colour) {
  const angle = Math.atan2(y - fromY, x - fromX);
  pen.beginPath();
  pen.moveTo(x, y);
  for (const side of [2.6, -2.6]) pen.lineTo(x + size * 1.6 * Math.cos(angle + side), y + size * 1.6 * Math.sin(angle + side));
  pen.closePath();
  pen.fillStyle = colour;
  pen.fill();
}

function writeAt(pen, text, x, y, colour, align = "center", baseline = "middle") {
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.textBaseline = baseline;
  pen.fillText(text, x, y);
}

/** What a loop's readout found probable, over the loops: for runs that are not on a wheel. */
class Lens {
  constructor(reel) {
    this.reel = reel;
    this.surface = new Surface("lens", "The most probable candidates over the loops");
    this.word = element("p", { class: "tk-word", dir: "auto" });
    this.node = element("div", { class: "tk-stage tk-stage-lens" }, this.word, this.surface.canvas);
  }

  draw({ shown, colours }) {
    const { surface, reel } = this;
    surface.fit();
    write(this.word, shown ? visible(reel.rows[shown - 1].prediction) : "…");
    const pen = surface.begin(), left = Math.min(110, surface.width * 0.28);
    const columns = Math.max(1, Math.min(reel.length, Math.floor((surface.width - left) / 16)));
    const first = Math.min(Math.max(0, shown - Math.ceil(columns * 0.7)), reel.length - columns);
    const seen = reel.rows.slice(first, Math.max(first, Math.min(shown, first + columns))).map(candidatesOf);
    const names = strongest(seen, 10);
    const cell = Math.min(44, (surface.width - left) / columns), rowHeight = (surface.height - 20) / 10;
    names.forEach((name, line) => {
      font(pen, Math.min(13, rowHeight * 0.55), 500);
      writeAt(pen, clip(name, 14), left - 8, (line + 0.5) * rowHeight, colours.text, "right");
      seen.forEach((candidates, at) => {
        const found = candidates.find((one) => one.text === name);
        pen.globalAlpha = 0.05 + 0.95 * (found?.probability ?? 0);
        pen.fillStyle = at + first === shown - 1 && found?.chosen ? colours.right : colours.accent;
        pen.fillRect(left + at * cell + 1, line * rowHeight + 1, cell - 2, rowHeight - 2);
      });
      pen.globalAlpha = 1;
    });
    font(pen, 11);
    if (seen.length) writeAt(pen, `loop ${first + 1}`, left, surface.height - 2, colours.muted, "left", "bottom");
    if (seen.length > 6) writeAt(pen, `${first + seen.length}`, left + seen.length * cell, surface.height - 2, colours.muted, "right", "bottom");
  }
}

function strongest(steps, most) {
  const best = new Map();
  for (const candidates of steps) {
    for (const one of candidates) best.set(one.text, Math.max(best.get(one.text) ?? 0, one.probability));
  }
  return [...best.entries()].sort((a, b) => b[1] - a[1]).slice(0, most).map(([name]) => name);
}

/** A column over the steps, with its name and its present value. */
class Curve {
  constructor(reel, column, { name, title, format, unit = false, threshold = NaN, crossing = () => -1, bars = false }) {
    Object.assign(this, { reel, column, format, unit, threshold, crossing, bars });
    this.surface = new Surface("curve", title);
    this.value = element("output", { class: "tk-value" });
    const caption = element("figcaption", {}, element("span", {}, title), this.value);
    this.node = element("figure", { class: `tk-figure tk-figure-${name}` }, caption, this.surface.canvas);
  }

  draw({ at, shown, colours, theme }) {
    const { surface, column } = this;
    this.node.hidden = column.empty;
    if (column.empty) return;
    surface.fit();
    if (!surface.width) return;
    this.scale();
    const pen = surface.begin(), x = this.x(shown - 0.5);
    const still = surface.layer(`${theme} ${column.length}`, (pencil) => this.paintLine(pencil, colours));
    this.paintGrid(pen, colours);
    surface.stamp(still, 0.22);
    surface.stamp(still, 1, x + 0.5);
    this.paintMarks(pen, shown, colours);
    write(this.value, at >= 0 && at < column.length ? this.format(column.data[at]) : "–");
    if (shown && shown <= column.length) this.paintHere(pen, shown - 1, colours);
  }

  scale() {
    const { column, unit, surface } = this;
    this.left = surface.width < 300 ? 40 : 46;
    this.wide = surface.width - this.left - 8;
    this.tall = surface.height - 16;
    this.low = unit ? 0 : Math.min(column.low, this.bars ? Infinity : 0);
    this.high = unit ? 1 : column.high > this.low ? column.high : this.low + 1;
    this.log = this.bars && column.high > 8 * Math.max(1e-9, column.low);
    if (this.log) this.low = Math.max(column.low, column.high / 1e4, 1e-7) / 1.5;
    else if (this.bars) this.low = 0;
  }

  x(at) {
    return this.left + ((at + 0.5) / Math.max(1, this.column.length)) * this.wide;
  }

  y(value) {
    const part = this.log
      ? Math.log(Math.max(value, this.low) / this.low) / Math.log(this.high / this.low)
      : (value - this.low) / (this.high - this.low);
    return 8 + (1 - part) * (this.tall - 8);
  }

  stepAt(x) {
    return Math.floor(((x - this.left) / this.wide) * this.column.length);
  }

  paintGrid(pen, colours) {
    font(pen, 10.5);
    for (const value of [this.low, this.high]) {
      const y = Math.round(this.y(value)) + 0.5;
      stroke(pen, colours.line, 1, () => (pen.moveTo(this.left, y), pen.lineTo(this.left + this.wide, y)));
      const label = this.bars && value === this.low && !this.log ? "0" : this.unit ? String(value) : this.format(value);
      writeAt(pen, label, this.left - 6, y, colours.muted, "right");
    }
    writeAt(pen, number(this.column.length), this.left + this.wide, this.surface.height, colours.muted, "right", "bottom");
    writeAt(pen, "1", this.left, this.surface.height, colours.muted, "left", "bottom");
  }

  paintLine(pen, colours) {
    const { column } = this;
    if (this.bars) return this.paintBars(pen, colours);
    if (column.length > this.wide) return this.paintDense(pen, colours);
    const points = [];
    for (let at = 0; at < column.length; at++) if (!Number.isNaN(column.data[at])) points.push([this.x(at), this.y(column.data[at])]);
    stroke(pen, colours.accent, 1.8, () => points.forEach((point) => pen.lineTo(...point)));
    if (points.length <= this.wide / 7) for (const point of points) disc(pen, point, 2.2, colours.accent);
  }

  /** A line a pixel, from the least to the greatest value that lies there. */
  paintDense(pen, colours) {
    const { column } = this;
    stroke(pen, colours.accent, 1.2, () => {
      for (let pixel = 0; pixel < this.wide; pixel++) {
        const [low, high] = extremes(column, this.stepAt(this.left + pixel), this.stepAt(this.left + pixel + 1));
        if (low <= high) (pen.moveTo(this.left + pixel, this.y(low)), pen.lineTo(this.left + pixel, this.y(high) - 0.5));
      }
    });
  }

  paintBars(pen, colours) {
    const { column } = this, each = this.wide / column.length;
    pen.fillStyle = colours.accent;
    const width = Math.max(1, Math.min(14, each * 0.62)), bottom = this.y(this.low);
    const last = Math.min(column.length, Math.floor(this.wide));
    for (let bar = 0; bar < last; bar++) {
      const at = column.length > this.wide ? this.stepAt(this.left + bar) : bar;
      const high = column.length > this.wide ? extremes(column, at, this.stepAt(this.left + bar + 1))[1] : column.data[at];
      const x = column.length > this.wide ? this.left + bar : this.x(at) - width / 2;
      pen.fillRect(x, this.y(high), width, Math.max(1, bottom - this.y(high)));
    }
  }

  paintMarks(pen, shown, colours) {
    if (Number.isNaN(this.threshold)) return;
    const y = this.y(this.threshold);
    pen.setLineDash([4, 4]);
    stroke(pen, colours.warn, 1.4, () => (pen.moveTo(this.left, y), pen.lineTo(this.left + this.wide, y)));
    pen.setLineDash([]);
    writeAt(pen, +this.threshold.toFixed(3), this.left - 6, y, colours.warn, "right");
    const at = this.crossing();
    if (at < 0 || at >= shown) return;
    const x = this.x(at), text = `crossed at loop ${at + 1}`;
    stroke(pen, colours.warn, 1.2, () => (pen.moveTo(x, 4), pen.lineTo(x, this.tall)));
    font(pen, 10.5, 600);
    const rightwards = x + 8 + pen.measureText(text).width < this.left + this.wide;
    writeAt(pen, text, x + (rightwards ? 6 : -6), Math.min(y + 14, this.tall - 8), colours.warn, rightwards ? "left" : "right");
  }

  paintHere(pen, at, colours) {
    const value = this.column.data[at], x = this.x(at);
    stroke(pen, colours.faint, 1, () => (pen.moveTo(x, 4), pen.lineTo(x, this.tall)));
    if (Number.isNaN(value)) return;
    disc(pen, [x, this.y(value)], 5.5, colours.panel);
    disc(pen, [x, this.y(value)], 4, colours.accent);
  }
}

function extremes(column, from, to) {
  let low = Infinity, high = -Infinity;
  for (let at = Math.max(0, from); at < Math.min(column.length, Math.max(to, from + 1)); at++) {
    const value = column.data[at];
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** All steps in a row: low and blue is right, tall and red wrong, purple off the table. */
class Strip {
  constructor(reel, label) {
    this.reel = reel;
    this.surface = new Surface("strip", label);
    this.node = this.surface.canvas;
  }

  draw({ shown, colours, theme, difference }) {
    const { surface, reel } = this;
    surface.fit();
    if (!surface.width) return;
    const pen = surface.begin(), each = surface.width / Math.max(1, reel.length);
    const still = surface.layer(`${theme} ${reel.length}`, (pencil) => this.paint(pencil, each, colours));
    surface.stamp(still, 0.25);
    surface.stamp(still, 1, shown * each);
    if (difference >= 0) this.paintDifference(pen, (difference + 0.5) * each, colours);
    if (!shown) return;
    const x = (shown - 0.5) * each, half = Math.max(1.5, Math.min(each / 2, 6));
    stroke(pen, colours.text, 1.5, () => pen.roundRect(Math.max(1, x - half), 1, Math.min(2 * half, surface.width - 2), surface.height - 2, 2.5));
  }

  paint(pen, each, colours) {
    const cells = Math.min(this.reel.length, Math.floor(this.surface.width)), gap = each > 5 ? 1 : 0;
    const width = Math.max(1, this.surface.width / cells - gap);
    for (let cell = 0; cell < cells; cell++) {
      const from = Math.floor((cell * this.reel.length) / cells), to = Math.floor(((cell + 1) * this.reel.length) / cells);
      const mark = this.worst(from, to), height = this.surface.height - 6;
      const tall = mark & WRONG ? 1 : this.reel.isLoop && !(mark & INVALID) ? 0.5 : 0.72;
      pen.globalAlpha = mark || this.reel.isLoop ? 1 : 0.25 + 0.75 * (1 - extremes(this.reel.probability, from, to)[0]);
      pen.fillStyle = mark || this.reel.isLoop ? colourOf(mark, colours) : colours.warn;
      pen.fillRect((cell * this.surface.width) / cells, 3 + (1 - tall) * height, width, tall * height);
    }
  }

  worst(from, to) {
    let mark = 0;
    for (let at = from; at < to; at++) mark |= this.reel.marks.data[at];
    return mark;
  }

  paintDifference(pen, x, colours) {
    pen.fillStyle = colours.text;
    pen.beginPath();
    pen.moveTo(x - 4, 0);
    pen.lineTo(x + 4, 0);
    pen.lineTo(x, 6);
    pen.fill();
  }

  stepAt(x) {
    return Math.floor((x / this.surface.width) * this.reel.length);
  }
}

/** The text as it grows. Only one page of tokens is ever in the document. */
class TokenText {
  constructor(reel, onPeek, onSeek) {
    this.reel = reel;
    this.spans = [];
    this.first = 0;
    this.filled = this.current = this.shownTo = 0;
    this.body = element("div", { class: "tk-text", dir: "auto", role: "group", "aria-label": "Generated text, token by token" });
    this.pages = element("p", { class: "tk-pages" });
    this.node = element("div", { class: "tk-stage tk-stage-text" }, this.body, this.pages);
    const at = (event) => (event.target.tkAt === undefined ? -1 : this.first + event.target.tkAt);
    this.body.addEventListener("pointerover", (event) => onPeek(at(event)));
    this.body.addEventListener("pointerleave", () => onPeek(-1));
    this.body.addEventListener("focusin", (event) => onPeek(at(event)));
    this.body.addEventListener("focusout", () => onPeek(-1));
    this.body.addEventListener("click", (event) => at(event) >= 0 && onSeek(at(event)));
  }

  draw({ shown, difference }) {
    const first = Math.floor(Math.max(0, shown - 1) / PAGE_TOKENS) * PAGE_TOKENS;
    const count = Math.min(PAGE_TOKENS, this.reel.length - first);
    if (first !== this.first) this.filled = 0;
    this.first = first;
    for (let at = this.filled; at < count; at++) this.fill(at, difference);
    for (let at = count; at < this.spans.length; at++) this.spans[at].hidden = true;
    this.filled = count;
    this.reveal(shown - first);
    const pages = Math.ceil(this.reel.length / PAGE_TOKENS);
    this.pages.hidden = pages < 2;
    write(this.pages, `Tokens ${number(first + 1)} to ${number(first + count)} of ${number(this.reel.length)}`);
  }

  fill(at, difference) {
    const span = this.spans[at] ?? this.add(at), row = this.reel.rows[this.first + at];
    write(span, clip(row.text));
    span.hidden = false;
    span.className = "tk-token tk-ahead";
    span.classList.toggle("tk-off", row.correct === false);
    span.classList.toggle("tk-differs", this.first + at === difference);
    const surprise = 1 - Math.exp(Math.min(0, row.logprob));
    span.style.setProperty("--tk-surprise", surprise.toFixed(3));
    if (at < this.shownTo) this.shownTo = at;
  }

  add(at) {
    const span = element("span", { tabindex: -1 });
    span.tkAt = at;
    this.spans.push(span);
    this.body.append(span);
    return span;
  }

  reveal(count) {
    for (let at = this.shownTo; at < count; at++) this.spans[at].classList.remove("tk-ahead");
    for (let at = count; at < Math.min(this.shownTo, this.filled); at++) this.spans[at].classList.add("tk-ahead");
    this.shownTo = count;
    const here = this.spans[count - 1], before = this.spans[this.current];
    this.current = count - 1;
    if (here === before && here?.classList.contains("tk-here")) return;
    const focused = before && before.getRootNode().activeElement === before;
    before?.classList.remove("tk-here");
    if (before) before.tabIndex = -1;
    if (!here) return;
    here.classList.add("tk-here");
    here.tabIndex = 0;
    if (focused) here.focus({ preventScroll: true });
    this.scrollTo(here);
  }

  scrollTo(span) {
    const top = span.offsetTop - this.body.offsetTop, bottom = top + span.offsetHeight;
    if (top < this.body.scrollTop) this.body.scrollTop = top - 8;
    else if (bottom > this.body.scrollTop + this.body.clientHeight) this.body.scrollTop = bottom - this.body.clientHeight + 28;
  }
}

/** Probabilities as bars. */
class Bars {
  constructor(title) {
    this.title = element("h3", {}, title);
    this.list = element("ol", { class: "tk-bars" });
    this.node = element("div", { class: "tk-candidates" }, this.title, this.list);
    this.lines = [];
  }

  draw(candidates, title) {
    write(this.title, title);
    while (this.lines.length < candidates.length) this.add();
    this.lines.forEach((line, at) => this.fill(line, candidates[at]));
  }

  add() {
    const [name, bar, value] = [element("bdi", { class: "tk-name" }), element("i"), element("span", { class: "tk-value" })];
    const node = element("li", {}, name, element("span", { class: "tk-bar" }, bar), value);
    this.list.append(node);
    this.lines.push({ node, name, bar, value });
  }

  fill({ node, name, bar, value }, one) {
    node.classList.toggle("tk-blank", !one);
    node.classList.toggle("tk-chosen", Boolean(one?.chosen));
    write(name, one ? one.text : " ");
    write(value, one ? percent(one.probability) : " ");
    bar.style.transform = `scaleX(${one ? one.probability.toFixed(4) : 0})`;
  }
}

/** Named values. */
class Facts {
  constructor(names) {
    this.node = element("dl", { class: "tk-facts" });
    this.values = names.map((name) => {
      const value = element("dd");
      this.node.append(element("div", {}, element("dt", {}, name), value));
      return value;
    });
  }

  draw(values) {
    values.forEach(([text, state], at) => {
      write(this.values[at], text);
      this.values[at].className = state ? `tk-is-${state}` : "";
    });
  }
}

// ---------------------------------------------------------------- a lane: one trace on the screen

const STATUS_WORDS = {
  streaming: "streaming", complete: "complete", cancelled: "cancelled", failed: "failed", interrupted: "interrupted",
};

class Lane {
  constructor(player, reel, index) {
    Object.assign(this, { player, reel, index, peeked: -1 });
    this.label = player.options.labels?.[index];
    this.title = element("bdi", { class: "tk-title" });
    this.asked = element("bdi", { class: "tk-asked" });
    this.badge = element("span", { class: "tk-badge" });
    this.outcome = element("p", { class: "tk-outcome", dir: "auto" });
    this.candidates = new Bars("");
    this.note = element("p", { class: "tk-note", dir: "auto" });
    this.build();
  }

  build() {
    const { reel } = this;
    const peek = (at) => this.peek(at), seek = (at) => this.player.seekRow(this.index, at);
    this.stage = !reel.isLoop ? new TokenText(reel, peek, seek) : reel.mapping ? new Wheel(reel) : new Lens(reel);
    this.facts = new Facts(
      reel.isLoop
        ? ["Loop", "Readout", "Direct", "Expected", "Arrived", "Since previous"]
        : ["Token", "Probability", "First token", "Rate", "Arrived", "Since previous"],
    );
    this.curves = reel.isLoop ? loopCurves(reel) : tokenCurves(reel);
    this.strip = new Strip(reel, `All steps of ${this.label ?? reel.title}; click to go there`);
    for (const target of [this.strip, ...this.curves]) this.makeSeekable(target);
    const curves = element("div", { class: "tk-curves" }, ...this.curves.map((curve) => curve.node));
    const side = element("div", { class: "tk-side" }, this.facts.node, this.candidates.node, this.note, curves);
    const heading = element("h2", {}, this.title, this.badge);
    const top = element("header", { class: "tk-head" }, element("div", {}, heading, this.asked), this.saveButton());
    const body = element("div", { class: "tk-body" }, this.stage.node, side);
    this.node = element("section", { class: `tk-lane tk-${reel.isLoop ? "loop" : "token"}` }, top, body, this.outcome);
  }

  saveButton() {
    const { onSave } = this.player.options;
    if (!onSave) return null;
    const save = () => onSave(this.index);
    return element("button", { class: "tk-quiet", type: "button", title: "Save this recording as JSON", click: save }, icon(ICONS.save), "Save JSON");
  }

  makeSeekable(target) {
    const { canvas } = target.surface;
    const seek = (event) => {
      if (event.buttons !== 1) return;
      this.player.seekRow(this.index, target.stepAt(event.clientX - canvas.getBoundingClientRect().left));
    };
    canvas.addEventListener("pointerdown", (event) => (canvas.setPointerCapture(event.pointerId), seek(event)));
    canvas.addEventListener("pointermove", seek);
  }

  peek(at) {
    if (at === this.peeked) return;
    this.peeked = at < this.shown ? at : -1;
    this.player.redraw();
  }

  /** Draw the state after `passed` rows (one more: the run's end). */
  draw({ passed, glide, colours, theme, difference }) {
    const { reel } = this;
    const shown = Math.min(passed, reel.length);
    this.shown = shown;
    const peeking = this.peeked >= 0 && this.peeked < shown;
    const at = peeking ? this.peeked : shown - 1;
    const state = { shown, at, glide, colours, theme, difference };
    const row = at >= 0 ? reel.rows[at] : null;
    this.stage.draw(state);
    this.facts.draw(reel.isLoop ? this.loopFacts(row, at) : this.tokenFacts(row, at));
    this.candidates.draw(row ? candidatesOf(row) : [], this.candidatesTitle(row, peeking));
    this.curves.forEach((curve) => curve.draw(state));
    this.strip.draw(state);
    this.note.hidden = !row?.note;
    write(this.note, row?.note ? clip(row.note, 300) : "");
    this.drawHead(reel.ended && passed > reel.length);
  }

  candidatesTitle(row, peeking) {
    if (this.reel.isLoop) return "Most probable";
    return row ? `Alternatives${peeking ? ` at token ${row.index + 1}` : ""}` : "Alternatives";
  }

  drawHead(over) {
    const { trace } = this.reel, status = STATUS_WORDS[trace.status] ?? "unknown";
    write(this.title, this.label ?? this.reel.title);
    write(this.asked, this.reel.asked);
    write(this.badge, status);
    this.badge.className = `tk-badge tk-badge-${status}`;
    this.outcome.className = `tk-outcome${over ? " tk-over" : ""}${over && status !== "complete" ? " tk-bad" : ""}`;
    write(this.outcome, over ? outcomeOf(this.reel) : " ");
  }

  loopFacts(row, at) {
    const total = number(this.reel.length);
    if (!row) return [[`0 / ${total}`], ["–"], ["–"], ["–"], ["–"], ["–"]];
    const direct = row.direct_prediction ?? null;
    const agrees = direct === null ? "" : direct === row.prediction ? "same" : "differs";
    const judged = row.correct === undefined ? "" : row.correct ? "right" : "wrong";
    return [
      [`${number(row.loop)} / ${total}`],
      [visible(row.prediction), row.edge_valid === false ? "invalid" : judged],
      [direct === null ? "none" : visible(direct), agrees],
      [row.expected === undefined ? "–" : visible(row.expected)],
      [seconds(this.reel.times.data[at])],
      [seconds(this.reel.gaps.data[at])],
    ];
  }

  tokenFacts(row, at) {
    const total = number(this.reel.length), first = this.reel.length ? this.reel.times.data[0] : NaN;
    if (!row) return [[`0 / ${total}`], ["–"], ["–"], ["–"], ["–"], ["–"]];
    const time = this.reel.times.data[at], took = time - first;
    return [
      [`${number(row.index + 1)} / ${total}`],
      [percent(Math.exp(row.logprob))],
      [seconds(first)],
      [took > 0 ? `${number(at / took)}/s` : "–"],
      [seconds(time)],
      [at ? seconds(this.reel.gaps.data[at]) : "–"],
    ];
  }

  spoken() {
    const row = this.shown ? this.reel.rows[this.shown - 1] : null;
    if (!row) return "At the start.";
    const judged = row.correct === undefined ? "" : row.correct ? ", right" : `, wrong, expected ${visible(row.expected ?? "")}`;
    return `${this.reel.isLoop ? "Loop" : "Token"} ${this.shown} of ${this.reel.length}: ${visible(saidBy(row))}${judged}, at ${seconds(row.arrival_seconds)}.`;
  }
}

function loopCurves(reel) {
  const loop = { unit: true, threshold: reel.threshold, crossing: () => reel.crossing, format: percent };
  return [
    new Curve(reel, reel.stop, { name: "stop", title: "Completion probability", ...loop }),
    new Curve(reel, reel.entropy, { name: "entropy", title: "Entropy", format: nats }),
    new Curve(reel, reel.kl, { name: "kl", title: "Change of the readout (KL)", format: nats }),
    new Curve(reel, reel.cosine, { name: "cosine", title: "Cosine to the loop before", format: (value) => value.toFixed(3) }),
    new Curve(reel, reel.gaps, { name: "gaps", title: "Time since the previous loop", format: seconds, bars: true }),
  ];
}

function tokenCurves(reel) {
  return [
    new Curve(reel, reel.gaps, { name: "gaps", title: "Gaps, the first token first", format: seconds, bars: true }),
    new Curve(reel, reel.probability, { name: "probability", title: "Probability", format: percent, unit: true }),
    new Curve(reel, reel.entropy, { name: "entropy", title: "Entropy", format: nats }),
  ];
}

function nats(value) {
  return Number.isNaN(value) ? "–" : `${value.toPrecision(3)} nats`;
}

function outcomeOf({ trace, isLoop, end, length }) {
  const after = `after ${seconds(end)}`, what = `${number(length)} ${isLoop ? "loop" : "token"}${length === 1 ? "" : "s"}`;
  if (trace.status === "failed") return clip(`Failed ${after}: ${trace.error?.type ?? "error"}: ${trace.error?.message ?? ""}`);
  if (trace.status === "cancelled") return `Cancelled ${after}, at ${what}.`;
  if (trace.status === "interrupted") return `Interrupted: the process died at ${what}; recovered from its journal.`;
  const summary = trace.summary ?? {}, said = [`Stopped by ${clip(summary.stop_reason ?? "?", 60)} after ${what}, ${seconds(end)}`];
  if (summary.answer_correct !== undefined) said.push(`answer ${summary.answer_correct ? "right" : "wrong"}`);
  if (summary.exact_stop !== undefined) said.push(`stop ${summary.exact_stop ? "exact" : "not exact"}`);
  if (summary.tokens_per_second !== undefined) said.push(`${number(summary.tokens_per_second)} tokens/s`);
  return said.join(" · ");
}

// ---------------------------------------------------------------- the player: lanes under one transport

const KEYS = [
  ["Space", "play or pause"], ["← →", "a step back or on (also , and .)"], ["Shift + ← →", "a tenth back or on"],
  ["0 – 9", "to that tenth"], ["Home  End", "to the start, to the end"], ["[ ]", "to the marker before or after"],
  ["< >", "slower, faster"], ["s", "1×, or slow motion"], ["l", "loop"], ["f", "follow a live run"],
  ["i", "two runs: in step by index or by time"], ["?", "this help"],
];

class Player {
  constructor(host, options) {
    this.options = options;
    this.reels = options.traces.map((trace) => new Reel(trace));
    this.pace = { rowsPerSecond: null, maxPause: null };
    Object.assign(this, { position: 0, speed: 1, playing: false, loop: false, sync: "index", theme: options.theme ?? "auto" });
    this.meter = new Meter();
    this.gone = new AbortController();
    this.following = options.following ?? this.reels.some((reel) => !reel.ended);
    this.build(host);
    this.retime();
    this.listen();
    this.open();
  }

  // -------- what is on the screen

  build(host) {
    this.lanes = this.reels.map((reel, index) => new Lane(this, reel, index));
    this.slider = element("input", {
      type: "range", min: 0, max: 1, step: "any", value: 0, class: "tk-slider", "aria-label": "Position in the run",
      input: () => this.seek(this.slider.valueAsNumber * this.timeline.duration),
    });
    this.markers = element("div", { class: "tk-markers" });
    this.live = element("p", { class: "tk-hear", "aria-live": "polite" });
    this.remark = element("p", { class: "tk-remark" });
    this.now = element("output", { class: "tk-now", "aria-live": "off" });
    const strips = this.lanes.map((lane) => lane.strip.node);
    const deck = element("div", { class: "tk-deck" }, this.remark, ...strips,
      element("div", { class: "tk-scrub" }, this.slider, this.markers), this.buildControls());
    this.help = this.buildHelp();
    const lanes = element("div", { class: "tk-lanes" }, ...this.lanes.map((lane) => lane.node));
    const shell = element("div", { class: "tk-shell" }, lanes, deck, this.live, this.help);
    this.root = element("div", { class: "tk", tabindex: -1, role: "region", "aria-label": "Trace player" }, shell);
    this.root.classList.toggle("tk-pair", this.lanes.length > 1);
    host.append(this.root);
    this.dress();
  }

  buildControls() {
    const button = (name, path, act) => {
      const node = element("button", { type: "button", class: "tk-button", title: name, "aria-label": name, click: act }, icon(path));
      return node;
    };
    this.playButton = button("Play (space)", ICONS.play, () => this.toggle());
    this.playButton.classList.add("tk-play");
    this.loopButton = button("Loop (l)", ICONS.repeat, () => this.set({ loop: !this.loop }));
    this.followButton = button("Follow the live run (f)", ICONS.follow, () => this.set({ following: !this.following }));
    this.followButton.append("Follow");
    const main = element("div", { class: "tk-main" },
      button("To the start (Home)", ICONS.restart, () => this.seek(0)),
      button("A step back (←)", ICONS.back, () => this.step(-1)), this.playButton,
      button("A step on (→)", ICONS.next, () => this.step(1)));
    this.speedSelect = this.choice("Speed", (value) => this.set({ speed: value === "slow" ? this.slowSpeed : +value }));
    this.paceSelect = this.choice("Pace", (value) => this.set({ rowsPerSecond: +value || null }),
      [["", "as recorded"], ...[1, 2, 5, 10, 30, 100].map((rate) => [rate, `even, ${rate}/s`])]);
    this.pauseSelect = this.choice("Longest pause", (value) => this.set({ maxPause: +value || null }),
      [["", "as it was"], ...[0.1, 0.5, 1, 2, 5].map((pause) => [pause, `${pause} s`])]);
    this.syncSelect = this.choice("In step", (value) => this.set({ sync: value }), [["index", "by step"], ["time", "by time"]]);
    this.syncSelect.parentNode.hidden = this.lanes.length < 2;
    const choices = [this.speedSelect, this.paceSelect, this.pauseSelect, this.syncSelect].map((select) => select.parentNode);
    const aside = element("div", { class: "tk-aside" }, this.followButton, this.loopButton,
      button("Light or dark", ICONS.theme, () => this.set({ theme: this.isDark ? "light" : "dark" })),
      element("button", { type: "button", class: "tk-button", title: "Help (?)", "aria-label": "Help (?)", click: () => this.toggleHelp() }, "?"));
    return element("div", { class: "tk-controls" }, main, this.now, element("div", { class: "tk-choices" }, ...choices), aside);
  }

  choice(name, act, entries = []) {
    const select = element("select", { "aria-label": name, change: () => act(select.value) });
    element("label", { class: "tk-choice" }, element("span", {}, name), select);
    fillSelect(select, entries);
    return select;
  }

  buildHelp() {
    const rows = KEYS.map(([keys, what]) => element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, what)));
    this.timingText = element("p", { class: "tk-timing" });
    this.facts = element("dl", { class: "tk-provenance" });
    const close = element("button", { type: "button", class: "tk-quiet", click: () => this.help.close() }, "Close");
    return element("dialog", { class: "tk-help", "aria-label": "Help" }, element("h2", {}, "Keys"),
      element("table", {}, ...rows), element("h2", {}, "Timing, measured here"), this.timingText,
      element("h2", {}, "This recording"), this.facts, close);
  }

  /** Read the colours that the stylesheet gives this theme, for the canvases. */
  dress() {
    this.root.dataset.theme = this.theme;
    const style = getComputedStyle(this.root);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--tk-${name}`).trim()]));
    this.themeKey = JSON.stringify(this.colours);
  }

  get isDark() {
    return this.theme === "dark" || (this.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  }

  // -------- time

  /** Lay out time again: after new rows, another pace, another way of keeping step. */
  retime() {
    this.timeline = new Timeline(this.reels, this.sync, this.pace);
    const [one, other] = this.reels;
    this.difference = other ? firstDifference(one, other) : -1;
    const { duration } = this.timeline;
    this.slowSpeed = duration > 0 && duration < SLOW_SECONDS ? Math.max(SLOWEST, duration / SLOW_SECONDS) : null;
    this.placeMarkers();
    this.fillSpeeds();
    if (this.following) this.position = duration;
    this.position = Math.min(this.position, duration);
  }

  get passed() {
    return upperBound(this.timeline.due, this.timeline.length, this.position);
  }

  get isOver() {
    return this.timeline.length > 0 && this.position >= this.timeline.duration;
  }

  anchor(now = performance.now()) {
    this.anchored = { now, position: this.position };
  }

  frame(now) {
    this.ticking = 0;
    if (this.playing) this.advance(now);
    this.draw();
    if (this.playing) this.redraw();
  }

  /** A frame stands for the half before and the half after it, so a row is at most half a frame off. */
  advance(now) {
    this.frameMs = Math.min(50, Math.max(4, 0.9 * (this.frameMs ?? FRAME_MS) + 0.1 * (now - (this.lastFrame ?? now - FRAME_MS))));
    this.lastFrame = now;
    const ahead = (now + this.frameMs / 2 - this.anchored.now) / 1000;
    const { duration } = this.timeline, before = this.passed;
    this.position = Math.min(duration, this.anchored.position + ahead * this.speed);
    this.arrivals = [before, this.passed];
    if (this.position < duration) return;
    if (!this.loop) return this.rest("end");
    if (ahead * this.speed + this.anchored.position > duration + 0.8 * this.speed) (this.position = 0), this.anchor(now);
  }

  measure() {
    if (!this.arrivals) return;
    const drawn = performance.now(), { due } = this.timeline;
    for (let at = this.arrivals[0]; at < this.arrivals[1]; at++) {
      this.meter.add(drawn - this.anchored.now - ((due[at] - this.anchored.position) / this.speed) * 1000);
    }
    this.arrivals = null;
  }

  // -------- drawing

  redraw() {
    this.ticking ||= requestAnimationFrame((now) => this.frame(now));
  }

  draw() {
    const { timeline, passed } = this;
    this.lanes.forEach((lane, index) => {
      const state = { passed: timeline.passed(index, passed), glide: this.glide(passed), difference: this.difference };
      lane.draw({ ...state, colours: this.colours, theme: this.themeKey });
    });
    this.drawDeck(passed);
    this.measure();
  }

  /** How far the pointer has come on its way to the letter it has just reached. */
  glide(passed) {
    if (!this.playing || !passed || this.still.matches) return 1;
    const { due } = this.timeline;
    const since = (this.position - due[passed - 1]) / this.speed;
    const until = passed < due.length ? (due[passed] - due[passed - 1]) / this.speed : 1;
    const part = Math.min(1, since / Math.max(1e-9, Math.min(0.45, 0.6 * until)));
    return until < 0.05 ? 1 : 1 - (1 - part) ** 3;
  }

  drawDeck(passed) {
    const { timeline, slider } = this, whole = timeline.recordedAt(timeline.duration), now = timeline.recordedAt(this.position);
    const part = timeline.duration ? this.position / timeline.duration : 0;
    slider.value = part;
    slider.style.setProperty("--tk-part", part.toFixed(5));
    const steps = this.steps, step = Math.min(passed, steps);
    slider.setAttribute("aria-valuetext", `step ${step} of ${steps}, ${seconds(now)}`);
    write(this.now, `${clock(now, whole)} / ${clock(whole, whole)}`);
    this.drawRemark();
    this.followButton.hidden = this.reels.every((reel) => reel.ended);
    this.followButton.setAttribute("aria-pressed", this.following);
    this.loopButton.setAttribute("aria-pressed", this.loop);
    if (this.help.open) this.drawTiming();
  }

  /** The line above the steps: how much slower than life this is, or how two runs differ. */
  drawRemark() {
    const isSlow = this.speed < 0.2 && this.slowSpeed !== null;
    const key = `${isSlow} ${this.speed} ${this.difference} ${this.started} ${this.timeline.length}`;
    if (key === this.remarkKey) return;
    this.remarkKey = key;
    this.remark.replaceChildren(...(isSlow ? this.slowRemark() : []), ...this.differenceRemark());
  }

  slowRemark() {
    const run = seconds(this.timeline.recordedAt(this.timeline.duration));
    const take = (speed, text) => element("button", { type: "button", class: "tk-link", click: () => (this.set({ speed }), this.play()) }, text);
    const life = element("button", { type: "button", class: "tk-link", click: () => this.set({ speed: 1 }) }, "1× (s)");
    const slower = element("span", {}, `Slow motion, ${number(1 / this.speed)} times slower than it ran.`);
    if (this.started) return [slower, life];
    const lasts = number(this.timeline.duration / this.speed);
    return [element("span", {}, `This run took ${run}.`), take(this.speed, `Watch in slow motion, ${lasts} s`), take(1, "or at 1× (s)")];
  }

  differenceRemark() {
    if (this.lanes.length < 2) return [];
    const at = this.difference;
    if (at < 0) return [element("span", {}, "The two runs say the same at every step.")];
    const said = this.reels.map((reel) => (at < reel.length ? visible(saidBy(reel.rows[at])) : "nothing more"));
    const go = element("button", { type: "button", class: "tk-link", click: () => this.seekRow(0, at) }, `step ${number(at + 1)}`);
    const words = said.map((text) => element("bdi", { class: "tk-said" }, clip(text, 40)));
    return [element("span", {}, "First difference at "), go, words[0], element("span", {}, "against"), words[1]];
  }

  drawTiming() {
    const { count, median, p99 } = this.meter.read();
    const what = count
      ? `${number(count)} rows shown: half within ${median.toFixed(1)} ms of their recorded time, 99 % within ${p99.toFixed(1)} ms.`
      : "Play it, and how far from its recorded time each row is shown will stand here.";
    write(this.timingText, `${what} A frame lasts ${(this.frameMs ?? FRAME_MS).toFixed(1)} ms.`);
  }

  fillFacts() {
    const entries = this.reels.flatMap(({ trace }) => [
      ["Model", trace.model?.name], ["Weights (SHA-256)", trace.model?.sha256], ["Checkpoint", trace.checkpoint],
      ["Recorded", trace.created_at], ["Id", trace.id], ["On", trace.environment?.cpu],
      ["With", `${trace.recorder?.name} ${trace.recorder?.version}`],
    ]);
    const known = entries.filter(([, value]) => value);
    this.facts.replaceChildren(...known.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, clip(String(value), 120)))));
  }

  placeMarkers() {
    const { timeline } = this, found = [];
    const mark = (kind, name, moments) => found.push({ kind, name, position: timeline.due[moments - 1] });
    this.reels.forEach((reel, lane) => {
      const whose = this.reels.length > 1 ? ` (${"AB"[lane]})` : "";
      const put = (kind, name, at) => at >= 0 && mark(kind, `${name} ${at + 1}${whose}`, timeline.momentsUntil(lane, at));
      put("error", "First error: loop", reel.firstError);
      put("stop", "Completion crosses its threshold: loop", reel.crossing);
      if (reel.trace.status === "failed") mark("error", `Failed${whose}`, timeline.momentsUntil(lane, reel.length));
    });
    if (this.difference >= 0) mark("difference", `First difference: step ${this.difference + 1}`, timeline.momentsUntil(0, this.difference));
    this.marks = found.filter((one) => one.position !== undefined).sort((a, b) => a.position - b.position);
    this.markers.replaceChildren(...this.marks.map((one) => this.marker(one)));
  }

  marker({ kind, name, position }) {
    const go = () => this.seek(position);
    const node = element("button", { type: "button", class: `tk-marker tk-marker-${kind}`, title: name, "aria-label": name, tabindex: -1, click: go });
    node.style.setProperty("--tk-part", (position / (this.timeline.duration || 1)).toFixed(5));
    return node;
  }

  fillSpeeds() {
    const entries = SPEEDS.map((speed) => [speed, speed === 1 ? "1× as it ran" : times(speed)]);
    if (this.slowSpeed) entries.unshift(["slow", `slow motion, ${SLOW_SECONDS} s`]);
    const isSlow = this.speed === this.slowSpeed;
    if (!isSlow && !SPEEDS.includes(this.speed)) entries.unshift([this.speed, times(this.speed)]);
    fillSelect(this.speedSelect, entries);
    this.speedSelect.value = isSlow ? "slow" : String(this.speed);
  }

  // -------- what a person does

  get steps() {
    return Math.max(...this.reels.map((reel) => reel.length));
  }

  toggle() {
    if (this.playing) this.rest("pause");
    else this.play();
  }

  play() {
    if (this.isOver) this.position = 0;
    this.playing = this.started = true;
    this.lastFrame = undefined;
    this.follow(false);
    this.anchor();
    this.showPlaying();
    this.emit("play");
    this.redraw();
  }

  rest(why) {
    if (!this.playing) return;
    this.playing = false;
    this.showPlaying();
    this.emit(why);
    this.reached();
    this.redraw();
  }

  showPlaying() {
    const name = this.playing ? "Pause (space)" : "Play (space)";
    this.playButton.replaceChildren(icon(this.playing ? ICONS.pause : ICONS.play));
    this.playButton.title = name;
    this.playButton.setAttribute("aria-label", name);
  }

  /** Go to a position in playing seconds, and show it at once. */
  seek(position) {
    this.position = Math.max(0, Math.min(position, this.timeline.duration));
    this.follow(false);
    this.anchor();
    this.draw();
    if (!this.playing) this.reached();
  }

  seekMoments(moments) {
    const m = Math.max(0, Math.min(moments, this.timeline.length));
    this.seek(m ? this.timeline.due[m - 1] : 0);
  }

  seekRow(lane, at) {
    const last = Math.max(0, this.reels[lane].length - 1);
    this.seekMoments(this.timeline.momentsUntil(lane, Math.max(0, Math.min(at, last))));
  }

  /** A step: to the next moment that lies elsewhere in time, since moments may coincide. */
  step(by) {
    this.rest("pause");
    const passed = this.passed;
    if (by > 0) return this.seekMoments(passed + 1);
    const here = passed ? this.timeline.due[passed - 1] : 0;
    this.seekMoments(here < this.position ? passed : passed - 1);
    if (passed && this.passed === passed) this.seekBefore(here);
  }

  seekBefore(position) {
    const { due, length } = this.timeline;
    let m = upperBound(due, length, position);
    while (m && due[m - 1] === position) m--;
    this.seekMoments(m);
  }

  seekMarker(by) {
    const all = [0, ...this.marks.map((one) => one.position), this.timeline.duration];
    const beyond = all.filter((position) => (by > 0 ? position > this.position : position < this.position));
    if (beyond.length) this.seek(by > 0 ? beyond[0] : beyond[beyond.length - 1]);
  }

  shiftSpeed(by) {
    const all = this.slowSpeed && this.slowSpeed < SPEEDS[0] ? [this.slowSpeed, ...SPEEDS] : SPEEDS;
    const next = by > 0 ? all.find((speed) => speed > this.speed) : all.findLast((speed) => speed < this.speed);
    if (next) this.set({ speed: next });
  }

  toggleSlow() {
    this.set({ speed: this.speed === 1 && this.slowSpeed ? this.slowSpeed : 1 });
  }

  follow(on) {
    if (this.following === on) return;
    this.following = on;
    this.emit("following", { following: on });
  }

  toggleHelp() {
    if (this.help.open) return this.help.close();
    this.fillFacts();
    this.drawTiming();
    this.help.showModal();
  }

  // -------- listening and telling

  listen() {
    const { signal } = this.gone;
    (this.options.keys ?? this.root).addEventListener("keydown", (event) => this.onKey(event), { signal });
    document.addEventListener("visibilitychange", () => this.onHidden(), { signal });
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.dress(), this.redraw()), { signal });
    this.watcher = new ResizeObserver(() => this.redraw());
    this.watcher.observe(this.root);
  }

  /** A hidden page gets no frames: what falls due meanwhile is not measured. */
  onHidden() {
    if (document.hidden || !this.playing) return;
    this.position = Math.min(this.timeline.duration, this.anchored.position + ((performance.now() - this.anchored.now) / 1000) * this.speed);
    this.anchor();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || (this.help.open && event.key !== "?")) return;
    const target = event.composedPath()[0], tag = target.tagName;
    const isText = tag === "SELECT" || tag === "TEXTAREA" || target.isContentEditable || (tag === "INPUT" && target !== this.slider);
    if (isText || (tag === "BUTTON" && (event.key === " " || event.key === "Enter"))) return;
    const act = this.keyAct(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  keyAct({ key, shiftKey }) {
    const { duration } = this.timeline, tenth = duration / 10;
    if (key >= "0" && key <= "9" && key.length === 1) return () => this.seek(tenth * +key);
    const acts = {
      " ": () => this.toggle(),
      ArrowLeft: () => (shiftKey ? this.seek(this.position - tenth) : this.step(-1)),
      ArrowRight: () => (shiftKey ? this.seek(this.position + tenth) : this.step(1)),
      ",": () => this.step(-1),
      ".": () => this.step(1),
      Home: () => this.seek(0),
      End: () => this.seek(duration),
      "[": () => this.seekMarker(-1),
      "]": () => this.seekMarker(1),
      "<": () => this.shiftSpeed(-1),
      ">": () => this.shiftSpeed(1),
      s: () => this.toggleSlow(),
      l: () => this.set({ loop: !this.loop }),
      f: () => this.set({ following: !this.following }),
      i: () => this.set({ sync: this.sync === "index" ? "time" : "index" }),
      "?": () => this.toggleHelp(),
    };
    return Object.hasOwn(acts, key) ? acts[key] : null;
  }

  emit(type, more = {}) {
    this.options.onEvent?.({ type, ...more });
  }

  /** The player rests at a step: say so, once, to the page and to a screen reader. */
  reached() {
    const { step, time } = this.state();
    if (step === this.said) return;
    this.said = step;
    this.draw();
    const over = this.isOver ? this.lanes.map((lane) => lane.outcome.textContent.trim()) : [];
    write(this.live, [...this.lanes.map((lane) => lane.spoken()), ...over].join(" "));
    this.emit("step", { step, time });
  }

  // -------- the handle

  open() {
    const { speed, step, time } = this.options, isShort = this.timeline.duration < TOO_SHORT_SECONDS;
    this.said = 0;
    this.set({ speed: speed ?? (isShort && this.slowSpeed && !this.following ? this.slowSpeed : 1) });
    this.draw();
    if (step !== undefined || time !== undefined) this.seekTo({ step, time });
  }

  seekTo({ step, time }) {
    if (Number.isFinite(step)) this.seekMoments(Math.trunc(step));
    else if (Number.isFinite(time)) this.seek(this.timeline.positionAt(time));
  }

  set(changes) {
    const recorded = this.timeline.recordedAt(this.position), passed = this.passed;
    for (const name of ["rowsPerSecond", "maxPause"]) if (name in changes) this.pace[name] = changes[name] > 0 ? changes[name] : null;
    if ("speed" in changes) this.speed = Math.max(SLOWEST, Math.min(FASTEST, changes.speed > 0 ? changes.speed : 1));
    if ("loop" in changes) this.loop = Boolean(changes.loop);
    if ("sync" in changes) this.sync = changes.sync === "time" ? "time" : "index";
    if ("theme" in changes) (this.theme = changes.theme), this.dress();
    if ("following" in changes) this.setFollowing(changes.following);
    if ("rowsPerSecond" in changes || "maxPause" in changes || "sync" in changes) this.replace(recorded, passed, "sync" in changes);
    if ("speed" in changes) this.fillSpeeds(), (this.meter = new Meter()), this.emit("speed", { speed: this.speed });
    this.paceSelect.value = String(this.pace.rowsPerSecond ?? "");
    this.pauseSelect.value = String(this.pace.maxPause ?? "");
    this.syncSelect.value = this.sync;
    this.anchor();
    this.redraw();
  }

  /** Keep the place under another pace: the same step, or under another order the same time. */
  replace(recorded, passed, byTime) {
    this.retime();
    const { due, length } = this.timeline;
    this.position = byTime ? this.timeline.positionAt(recorded) : passed ? due[Math.min(passed, length) - 1] : 0;
  }

  setFollowing(on) {
    if (on && this.reels.every((reel) => reel.ended)) return;
    if (on) this.rest("pause");
    this.follow(Boolean(on));
    if (on) this.position = this.timeline.duration;
  }

  append(rows, tail, lane = 0) {
    const reel = this.reels[lane];
    reel.extend(rows);
    if (tail) Object.assign(reel.trace, tail);
    this.retime();
    if (reel.ended && this.reels.every((one) => one.ended)) this.follow(false);
    this.redraw();
  }

  update(traces) {
    const same = traces.length === this.reels.length && traces.every((trace, lane) => this.reels[lane].continues(trace));
    if (!same) return false;
    traces.forEach((trace, lane) => {
      const { length } = this.reels[lane], grown = trace.trace.slice(length);
      const { status, summary, error, inference_seconds } = trace;
      const ended = status !== "streaming" && !this.reels[lane].ended;
      if (grown.length || ended) this.append(grown, { status, summary, error, inference_seconds }, lane);
    });
    return true;
  }

  state() {
    const { timeline, playing, following, speed, loop, sync, theme, pace } = this;
    const recorded = timeline.recordedAt(this.position), duration = timeline.recordedAt(timeline.duration);
    const step = Math.min(this.passed, timeline.byTime ? timeline.length : this.steps);
    return { step, steps: this.steps, time: recorded, duration, playing, following, over: this.isOver, speed, loop, sync, theme, ...pace };
  }

  destroy() {
    this.playing = false;
    cancelAnimationFrame(this.ticking);
    this.gone.abort();
    this.watcher.disconnect();
    this.root.remove();
  }
}

function fillSelect(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value: String(value) }, text)));
}

/** Draw a player into `host`; see the top of this file. */
export function mount(host, options) {
  let player = new Player(host, options);
  return {
    update(traces) {
      if (player.update(traces)) return;
      const { speed, theme } = player.state();
      player.destroy();
      player = new Player(host, { ...options, traces, theme, speed, step: undefined, time: undefined });
    },
    append: (rows, tail, lane) => player.append(rows, tail, lane),
    seek: (where) => player.seekTo(where),
    play: () => player.play(),
    pause: () => player.rest("pause"),
    set: (changes) => player.set(changes),
    state: () => player.state(),
    timing: () => player.meter.read(),
    destroy: () => player.destroy(),
  };
}

// ---------------------------------------------------------------- a page of its own: the HTML export

/** The JSON text that a data block holds, byte for byte: see tracekit.player.html.escape_data. */
export function unescapeData(text) {
  const plain = { u003c: "<", u2028: "\u2028", u2029: "\u2029" };
  return text.replace(/\\(u003c|u2028|u2029|.)/g, (escape, code) => plain[code] ?? escape);
}

/** Where a link points: `#t=1.25&speed=2` or `#step=40`. */
function readHash(hash) {
  const values = new URLSearchParams(hash.slice(1));
  const read = (name) => (values.has(name) && values.get(name) !== "" ? Number(values.get(name)) : NaN);
  const found = { step: read("step"), time: read("t"), speed: read("speed") };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => Number.isFinite(value)));
}

function save(text, name) {
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Play the recordings that lie in the page's data blocks. */
export function openPage(page) {
  const blocks = [...page.querySelectorAll('script[type="application/json"]')];
  const texts = blocks.map((block) => unescapeData(block.textContent));
  const player = mount(page.body, {
    traces: texts.map((text) => JSON.parse(text)),
    keys: page,
    onSave: (lane) => save(texts[lane], blocks[lane].dataset.name),
    ...readHash(page.location.hash),
  });
  window.addEventListener("hashchange", () => {
    const { speed, ...where } = readHash(page.location.hash);
    if (speed) player.set({ speed });
    player.seek(where);
  });
  return player;
}
