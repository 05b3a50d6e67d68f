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

const { PI, abs, atan2, ceil, cos, exp, floor, hypot, log, max, min, round, sin, trunc } = Math;

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
const FASTEST = 16;
const SLOWEST = 1e-6;
const SLOW_SECONDS = 20; // what slow motion stretches a run to
const TOO_SHORT_SECONDS = 2; // a shorter run starts in slow motion
const FRAME_MS = 1000 / 60;
const PAGE_TOKENS = 220; // the most tokens that are elements at once
const TRAIL_STEPS = 14;
const LONGEST_TEXT = 400; // characters of a token or letter that are drawn
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const UNKNOWN = 0,
  RIGHT = 1,
  WRONG = 2,
  INVALID = 4; // a row's mark, as bits
const COLOURS = [
  "text",
  "muted",
  "faint",
  "line",
  "panel",
  "page",
  "right",
  "wrong",
  "invalid",
  "warn",
  "accent",
  "on",
];

// ---------------------------------------------------------------- words and elements

/** An element: attributes, listeners where the value is a function, and children (text is only ever text). */
function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

function button(look, name, act, ...children) {
  return h("button", { type: "button", class: `tk-${look}`, title: name, "aria-label": name, click: act }, ...children);
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
  repeat: "M7 7h9l-2-2 1.5-1.5L20 8l-4.5 4.5L14 11l2-2H9v3H7zM17 17H8l2 2-1.5 1.5L4 16l4.5-4.5L10 13l-2 2h7v-3h2z",
  follow: "M4 5l7 7-7 7zM11 5l7 7-7 7zM18 5h2.2v14H18z",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18v-2a7 7 0 0 0 0-14z",
  save: "M11 4h2v8l2.8-2.8 1.4 1.4L12 15.8l-5.2-5.2 1.4-1.4L11 12zM5 18h14v2H5z",
};

/** A text to be shown: not too long, and without the marks by which it could turn its neighbours around. */
function clip(text, longest = LONGEST_TEXT) {
  const short = text.length > longest ? text.slice(0, longest) + "…" : text;
  return short.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** A token's text as one line; blanks that are all of it, or stand at its edges, are made visible. */
function visible(text) {
  return clip(text).replace(/^ | $/g, "␣").replace(/\r?\n/g, "⏎").replace(/\t/g, "⇥") || "∅";
}

/** A token as a word, where nothing depends on the blanks around it. */
function word(text) {
  return clip(text).trim() || visible(text);
}

function percent(probability) {
  if (!Number.isFinite(probability)) return "–";
  const value = probability * 100;
  if (value > 0 && value < 0.1) return "<0.1 %";
  return (value > 99.9 && value < 100 ? ">99.9" : value.toFixed(1)) + " %";
}

function seconds(value) {
  if (!Number.isFinite(value)) return "–";
  const size = abs(value);
  if (size === 0) return "0 s";
  // A unit ends where its number would be rounded up to a thousand.
  if (size * 1e6 < 999.5) return `${(value * 1e6).toPrecision(3)} µs`;
  if (size * 1e3 < 999.5) return `${(value * 1e3).toPrecision(3)} ms`;
  return `${value.toFixed(size < 9.9995 ? 3 : size < 99.995 ? 2 : 1)} s`;
}

/** A moment in the unit of the whole, so that a running clock keeps its width. */
function clock(value, whole) {
  if (whole < 1e-3) return `${(value * 1e6).toFixed(0)} µs`;
  if (whole < 1) return `${(value * 1e3).toFixed(2)} ms`;
  if (whole < 60) return `${value.toFixed(2)} s`;
  const tenths = round(value * 10); // rounded before it is divided, or there would be sixty seconds
  return `${floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
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
  let low = 0,
    high = length;
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
    this.trace = { ...trace }; // its tail comes later, and the caller's document is the caller's
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
    this.mapping = this.isLoop ? readMapping(trace.request) : null;
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
    return max(this.last, this.trace.inference_seconds ?? 0);
  }

  extend(rows) {
    for (const row of rows) this.push(row);
  }

  push(row) {
    const at = this.length,
      time = max(this.last, row.arrival_seconds);
    this.gaps.push(time - this.last);
    this.times.push(time);
    this.rows.push(row);
    this.marks.push(markOf(row));
    this.probability.push(row.logprob === undefined ? NaN : exp(row.logprob));
    this.stop.push(row.stop_probability ?? NaN);
    this.entropy.push(row.entropy ?? NaN);
    this.kl.push(row.kl ?? NaN);
    this.cosine.push(row.cosine ?? NaN);
    if (this.crossing < 0 && row.stop_probability >= this.threshold) this.crossing = at;
    const { steps } = this.trace.request ?? {}; // of another source, it may be anything
    const asked = typeof steps !== "number" || at < steps;
    if (this.firstError < 0 && row.correct === false && asked) this.firstError = at;
  }

  /** Whether `trace` is this run, grown or ended. */
  continues(trace) {
    return (
      trace.id === this.trace.id &&
      trace.kind === this.trace.kind &&
      trace.trace.length >= this.length &&
      !(this.ended && trace.status === "streaming")
    );
  }

  /** What the run would be called: the model, and in a few words what was asked. */
  get title() {
    return clip(this.trace.model?.name ?? "trace", 60);
  }

  get asked() {
    const request = this.trace.request ?? {};
    if (this.mapping) return `${request.steps} steps from ${request.start}`;
    const { messages } = request; // but for the pointer task's, a request's members may be anything
    const prompt = request.prompt ?? (Array.isArray(messages) ? messages.at(-1)?.content : undefined);
    if (typeof prompt === "string") return clip(`“${prompt.trim().replace(/\s+/g, " ")}”`, 120);
    return this.isLoop ? "loops" : "tokens";
  }
}

function readMapping(request) {
  if (!Array.isArray(request?.mapping)) return null;
  const table = new Int8Array(26).fill(-1);
  for (const [from, to] of request.mapping) table[letterOf(from)] = letterOf(to);
  return table;
}

/** A letter's place in the alphabet; -1 for any other text, or none. */
function letterOf(text) {
  return text?.length === 1 ? LETTERS.indexOf(text) : -1;
}

function markOf(row) {
  const mark = row.correct === undefined ? UNKNOWN : row.correct ? RIGHT : WRONG;
  return row.edge_valid === false ? mark | INVALID : mark;
}

/** The most probable candidates of a row, as {text, probability, chosen}. */
function candidatesOf(row) {
  if (row.top3) return row.top3.map((one) => candidate(one.symbol, one.probability, one.symbol === row.prediction));
  const chosen = (one) => one.token_id === row.token_id;
  const found = (row.top ?? []).map((one) => candidate(visible(one.text), exp(one.logprob), chosen(one)));
  if (row.logprob !== undefined && !found.some((one) => one.chosen)) {
    found.push(candidate(visible(row.text), exp(row.logprob), true));
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
  const shared = min(one.length, other.length);
  for (let at = 0; at < shared; at++) {
    const a = one.rows[at],
      b = other.rows[at];
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
    const steps = max(...this.reels.map((reel) => reel.length));
    const ended = this.reels.every((reel) => reel.ended);
    const moments = new Float64Array(steps + (ended ? 1 : 0));
    let latest = 0;
    for (let at = 0; at < steps; at++) {
      for (const reel of this.reels) if (at < reel.length) latest = max(latest, reel.times.data[at]);
      moments[at] = latest;
    }
    if (ended) moments[steps] = max(latest, ...this.reels.map((reel) => reel.end));
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

  /** After how many moments a lane is first at `step`; those after the last row are the ends. */
  momentsUntilStep(step) {
    if (!this.byTime) return step;
    const long = [0, 1].filter((lane) => this.reels[lane].length >= step);
    return min(...long.map((lane) => this.momentsUntil(lane, step - 1)));
  }

  /** After how many moments every row is there; what follows are ends. */
  get rows() {
    return max(...this.reels.map((reel, lane) => this.momentsUntil(lane, reel.length - 1)));
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
  let before = 0,
    sum = 0;
  for (let at = 0; at < moments.length; at++) {
    const moment = rowsPerSecond ? (at + 1) / rowsPerSecond : moments[at];
    sum = maxPause ? sum + min(moment - before, maxPause) : moment;
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
    this.bins[min(20000, round(abs(milliseconds) * 20))]++;
    this.count++;
  }

  percentile(part) {
    let left = ceil(this.count * part);
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
    this.canvas = h("canvas", { class: `tk-canvas tk-${name}`, role: "img", "aria-label": label });
    this.pen = this.canvas.getContext("2d");
    this.still = null;
    this.width = this.height = 0;
  }

  fit() {
    const ratio = min(3, window.devicePixelRatio || 1);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, { width, height, ratio, still: null, drawn: null });
    this.canvas.width = round(width * ratio);
    this.canvas.height = round(height * ratio);
  }

  /** The pen on a clean canvas; null where there is no room, or the picture would be the same again. */
  begin(...key) {
    const next = key.join();
    if (!this.width || !this.height || next === this.drawn) return null;
    this.drawn = next;
    this.pen.setTransform(1, 0, 0, 1, 0, 0);
    this.pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return this.pen;
  }

  layer(key, paint) {
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
    if (untilX <= 0) return;
    const { pen, ratio } = this;
    pen.save();
    pen.globalAlpha = alpha;
    const width = min(layer.width, round(untilX * ratio));
    if (width) pen.drawImage(layer, 0, 0, width, layer.height, 0, 0, width / ratio, this.height);
    pen.restore();
  }
}

function font(pen, size, weight = 400) {
  pen.font = `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif`;
}

function colourOf(mark, ink) {
  if (mark & INVALID) return ink.invalid;
  return mark & WRONG ? ink.wrong : mark & RIGHT ? ink.right : ink.accent;
}

/** The table as a wheel of letters, its rules as edges, the pointer with its trail. */
class Wheel {
  constructor(reel) {
    this.reel = reel;
    this.surface = new Surface("wheel", "The table of rules as a wheel of 26 letters");
    this.node = h("div", { class: "tk-stage tk-stage-wheel" }, this.surface.canvas);
  }

  draw({ shown, glide, ink, theme }) {
    const { surface, reel } = this;
    surface.fit();
    const pen = surface.begin(theme, shown, glide.toFixed(3));
    if (!pen) return;
    const size = min(surface.width, surface.height);
    this.radius = size * 0.452;
    this.dot = size * 0.034;
    surface.stamp(surface.layer(theme, (still) => this.paintTable(still, ink)));
    const first = max(0, shown - TRAIL_STEPS);
    for (let at = first; at < shown - 1; at++)
      this.paintStep(pen, at, 0.1 + 0.5 * ((at - first) / TRAIL_STEPS) ** 1.5, ink);
    if (shown) this.paintCurrent(pen, shown - 1, glide, ink);
    this.paintLetter(pen, this.letterBefore(0), { ring: ink.muted }, ink);
    if (shown) this.paintHere(pen, shown - 1, ink);
    this.paintHub(pen, shown ? reel.rows[shown - 1] : null, ink);
  }

  point(letter) {
    const angle = (letter / 26) * 2 * PI - PI / 2;
    const { width, height } = this.surface;
    return [width / 2 + this.radius * cos(angle), height / 2 + this.radius * sin(angle)];
  }

  /** The letter the pointer stood on before row `at`. */
  letterBefore(at) {
    return letterOf(at ? this.reel.rows[at - 1].prediction : this.reel.trace.request.start);
  }

  paintTable(pen, ink) {
    for (let from = 0; from < 26; from++) {
      this.paintEdge(pen, from, this.reel.mapping[from], { colour: ink.line, width: 1.2, head: 0.32 });
    }
    for (let letter = 0; letter < 26; letter++) this.paintLetter(pen, letter, {}, ink);
  }

  paintStep(pen, at, alpha, ink) {
    const colour = colourOf(this.reel.marks.data[at], ink);
    this.paintEdge(pen, this.letterBefore(at), letterOf(this.reel.rows[at].prediction), { colour, alpha, width: 2.2 });
  }

  paintCurrent(pen, at, glide, ink) {
    const row = this.reel.rows[at],
      mark = this.reel.marks.data[at];
    const from = this.letterBefore(at),
      to = letterOf(row.prediction);
    if (mark & WRONG && row.expected) {
      const before = at ? this.reel.rows[at - 1].expected : this.reel.trace.request.start;
      const look = { colour: ink.text, width: 1.8, dash: [5, 5], head: 0.5, alpha: 0.75 };
      this.paintEdge(pen, letterOf(before), letterOf(row.expected), look);
    }
    const look = { colour: colourOf(mark, ink), width: 3.4, head: glide < 1 ? 0 : 0.6, until: glide };
    const tip = this.paintEdge(pen, from, to, look);
    if (glide < 1 && tip) disc(pen, tip, this.dot * 0.5, look.colour);
  }

  paintHere(pen, at, ink) {
    const row = this.reel.rows[at],
      mark = this.reel.marks.data[at];
    if (mark & WRONG && row.expected) {
      this.paintLetter(pen, letterOf(row.expected), { ring: ink.text, dash: [4, 3] }, ink);
    }
    this.paintLetter(pen, letterOf(row.prediction), { fill: colourOf(mark, ink) }, ink);
  }

  paintLetter(pen, letter, { fill, ring, dash }, ink) {
    if (letter < 0) return;
    const [x, y] = this.point(letter),
      radius = this.dot * (fill ? 1.22 : 1);
    if (ring) {
      pen.setLineDash(dash ?? []);
      stroke(pen, ring, 1.6, () => pen.arc(x, y, this.dot * 1.36, 0, 7));
      pen.setLineDash([]);
    }
    disc(pen, [x, y], radius, fill ?? ink.panel);
    if (!fill) stroke(pen, ink.faint, 1, () => pen.arc(x, y, radius, 0, 7));
    font(pen, radius * 1.05, fill ? 700 : 500);
    writeAt(pen, LETTERS[letter], x, y + radius * 0.06, fill ? ink.on : ink.text);
  }

  paintHub(pen, row, ink) {
    const centre = [this.surface.width / 2, this.surface.height / 2],
      size = this.radius * 0.21;
    pen.globalAlpha = 0.9;
    disc(pen, centre, size, ink.panel);
    pen.globalAlpha = 1;
    stroke(pen, ink.line, 1, () => pen.arc(...centre, size, 0, 7));
    font(pen, size * 0.92, 650);
    const mark = row ? markOf(row) : UNKNOWN;
    const letter = clip(row ? row.prediction : this.reel.trace.request.start, 2);
    writeAt(pen, letter, centre[0], centre[1] - size * 0.1, mark & ~RIGHT ? colourOf(mark, ink) : ink.text);
    font(pen, max(9, size * 0.25), 500);
    writeAt(pen, row ? `loop ${number(row.loop)}` : "start", centre[0], centre[1] + size * 0.58, ink.muted);
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
    const a = this.point(from),
      b = this.point(to);
    const { width, height } = this.surface;
    const control = [0.3 * ((a[0] + b[0]) / 2) + 0.7 * (width / 2), 0.3 * ((a[1] + b[1]) / 2) + 0.7 * (height / 2)];
    const reach = hypot(control[0] - a[0], control[1] - a[1]) * 2;
    const trim = min(0.3, (this.dot * 1.45) / reach);
    return (part) => quadratic(a, control, b, trim + part * (1 - 2 * trim));
  }

  selfLoop(letter) {
    const [x, y] = this.point(letter),
      { width, height } = this.surface;
    const out = 1 - (this.dot * 2.1) / this.radius;
    const centre = [width / 2 + (x - width / 2) * out, height / 2 + (y - height / 2) * out];
    const towards = atan2(y - centre[1], x - centre[0]);
    return (part) => {
      const angle = towards + 0.9 + part * (2 * PI - 1.8);
      return [centre[0] + this.dot * 1.15 * cos(angle), centre[1] + this.dot * 1.15 * sin(angle)];
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
  const angle = atan2(y - fromY, x - fromX);
  pen.beginPath();
  pen.moveTo(x, y);
  for (const side of [2.6, -2.6]) pen.lineTo(x + size * 1.6 * cos(angle + side), y + size * 1.6 * sin(angle + side));
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
    this.word = h("p", { class: "tk-word", dir: "auto" });
    this.node = h("div", { class: "tk-stage tk-stage-lens" }, this.word, this.surface.canvas);
  }

  draw({ shown, ink, theme }) {
    const { surface, reel } = this;
    surface.fit();
    const pen = surface.begin(theme, shown, reel.length),
      left = min(110, surface.width * 0.28);
    if (!pen) return;
    write(this.word, (shown && word(reel.rows[shown - 1].prediction)) || "…");
    const columns = max(1, min(reel.length, floor((surface.width - left) / 16)));
    const first = min(max(0, shown - ceil(columns * 0.7)), reel.length - columns);
    const seen = reel.rows.slice(first, max(first, min(shown, first + columns))).map(candidatesOf);
    const names = strongest(seen, 8);
    const cell = (surface.width - left) / columns,
      rowHeight = (surface.height - 20) / 8;
    names.forEach((name, line) => {
      font(pen, min(13, rowHeight * 0.55), 500);
      writeAt(pen, clip(name, 14), left - 8, (line + 0.5) * rowHeight, ink.text, "right");
      seen.forEach((candidates, at) => {
        const found = candidates.find((one) => one.text === name);
        pen.globalAlpha = 0.06 + 0.94 * (found?.probability ?? 0) ** 0.6;
        pen.fillStyle = at + first === shown - 1 && found?.chosen ? ink.right : ink.accent;
        pen.fillRect(left + at * cell + 1, line * rowHeight + 1, cell - 2, rowHeight - 2);
      });
      pen.globalAlpha = 1;
    });
    font(pen, 11);
    if (seen.length) writeAt(pen, `loop ${first + 1}`, left, surface.height - 2, ink.muted, "left", "bottom");
    if (seen.length > 6)
      writeAt(
        pen,
        `${first + seen.length}`,
        left + seen.length * cell,
        surface.height - 2,
        ink.muted,
        "right",
        "bottom",
      );
  }
}

function strongest(steps, most) {
  const best = new Map();
  for (const candidates of steps) {
    for (const one of candidates) best.set(one.text, max(best.get(one.text) ?? 0, one.probability));
  }
  return [...best.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([name]) => name);
}

/** A column over the steps, with its name and its present value. */
class Curve {
  constructor(reel, column, { name, title, format, unit = false, threshold = NaN, crossing = () => -1, bars = false }) {
    Object.assign(this, { reel, column, format, unit, threshold, crossing, bars });
    this.surface = new Surface("curve", title);
    this.value = h("output", { class: "tk-value" });
    const caption = h("figcaption", {}, h("span", {}, title), this.value);
    this.node = h("figure", { class: `tk-figure tk-figure-${name}` }, caption, this.surface.canvas);
  }

  draw({ at, shown, ink, theme }) {
    const { surface, column } = this;
    this.node.hidden = column.empty;
    if (column.empty) return;
    surface.fit();
    this.scale();
    write(this.value, at >= 0 && at < column.length ? this.format(column.data[at]) : "–");
    const x = this.x(shown - (this.bars ? 0.5 : 1)),
      isDense = column.length > this.wide;
    const pen = surface.begin(theme, column.length, isDense ? round(x) : shown, shown > this.crossing());
    if (!pen) return;
    const still = surface.layer(`${theme} ${column.length}`, (pencil) => this.paintLine(pencil, ink));
    this.paintGrid(pen, ink);
    surface.stamp(still, 0.22);
    surface.stamp(still, 1, x + 0.5);
    this.paintMarks(pen, shown, ink);
    if (shown && shown <= column.length) this.paintHere(pen, shown - 1, ink);
  }

  scale() {
    const { column, unit, surface } = this;
    this.left = 50;
    this.wide = surface.width - this.left - 8;
    this.tall = surface.height - 16;
    this.low = unit || this.bars ? 0 : min(column.low, 0);
    this.high = unit ? 1 : column.high > this.low ? column.high : this.low + 1;
    this.log = this.bars && column.high > 8 * max(1e-9, column.low);
    if (this.log) this.low = max(column.low, column.high / 1e4, 1e-7) / 2;
  }

  x(at) {
    return this.left + ((at + 0.5) / max(1, this.column.length)) * this.wide;
  }

  y(value) {
    const part = this.log
      ? log(max(value, this.low) / this.low) / log(this.high / this.low)
      : (value - this.low) / (this.high - this.low);
    return 8 + (1 - part) * (this.tall - 8);
  }

  stepAt(x) {
    return floor(((x - this.left) / this.wide) * this.column.length);
  }

  paintGrid(pen, ink) {
    font(pen, 10.5);
    for (const value of [this.low, this.high]) {
      const y = round(this.y(value)) + 0.5;
      stroke(pen, ink.line, 1, () => (pen.moveTo(this.left, y), pen.lineTo(this.left + this.wide, y)));
      const label = !value ? "0" : this.unit ? "1" : this.format(value).replace(" nats", "");
      writeAt(pen, label, this.left - 6, y, ink.muted, "right");
    }
    writeAt(pen, number(this.column.length), this.left + this.wide, this.surface.height, ink.muted, "right", "bottom");
    writeAt(pen, "1", this.left, this.surface.height, ink.muted, "left", "bottom");
  }

  paintLine(pen, ink) {
    const { column } = this;
    if (this.bars) return this.paintBars(pen, ink);
    if (column.length > this.wide) return this.paintDense(pen, ink);
    const points = [];
    for (let at = 0; at < column.length; at++)
      if (!Number.isNaN(column.data[at])) points.push([this.x(at), this.y(column.data[at])]);
    stroke(pen, ink.accent, 1.8, () => points.forEach((point) => pen.lineTo(...point)));
    if (points.length <= this.wide / 7) for (const point of points) disc(pen, point, 2.2, ink.accent);
  }

  /** A line a pixel, from the least to the greatest value that lies there. */
  paintDense(pen, ink) {
    const { column } = this;
    stroke(pen, ink.accent, 1.2, () => {
      for (let pixel = 0; pixel < this.wide; pixel++) {
        const [low, high] = extremes(column, this.stepAt(this.left + pixel), this.stepAt(this.left + pixel + 1));
        if (low <= high)
          (pen.moveTo(this.left + pixel, this.y(low)), pen.lineTo(this.left + pixel, this.y(high) - 0.5));
      }
    });
  }

  paintBars(pen, ink) {
    const { column } = this,
      bars = min(column.length, floor(this.wide));
    for (let bar = 0; bar < bars; bar++) {
      const at = floor((bar * column.length) / bars),
        next = floor(((bar + 1) * column.length) / bars);
      this.paintBar(pen, at, extremes(column, at, next)[1], ink.accent);
    }
  }

  paintBar(pen, at, value, colour) {
    const width = max(1, min(14, (this.wide / this.column.length) * 0.62)),
      y = this.y(value);
    pen.fillStyle = colour;
    pen.fillRect(this.x(at) - width / 2, y, width, max(1, this.y(this.low) - y));
  }

  paintMarks(pen, shown, ink) {
    if (Number.isNaN(this.threshold)) return;
    const y = this.y(this.threshold);
    pen.setLineDash([4, 4]);
    stroke(pen, ink.warn, 1.4, () => (pen.moveTo(this.left, y), pen.lineTo(this.left + this.wide, y)));
    pen.setLineDash([]);
    writeAt(pen, +this.threshold.toFixed(3), this.left - 6, y, ink.warn, "right");
    const at = this.crossing();
    if (at < 0 || at >= shown) return;
    const x = this.x(at),
      text = `crossed at loop ${at + 1}`;
    stroke(pen, ink.warn, 1.2, () => (pen.moveTo(x, 4), pen.lineTo(x, this.tall)));
    font(pen, 10.5, 600);
    const rightwards = x + 8 + pen.measureText(text).width < this.left + this.wide;
    writeAt(pen, text, x + (rightwards ? 6 : -6), 12, ink.warn, rightwards ? "left" : "right");
  }

  paintHere(pen, at, ink) {
    const value = this.column.data[at],
      x = this.x(at);
    if (this.bars) return this.paintBar(pen, at, value, ink.text);
    stroke(pen, ink.faint, 1, () => (pen.moveTo(x, 4), pen.lineTo(x, this.tall)));
    if (Number.isNaN(value)) return;
    disc(pen, [x, this.y(value)], 5.5, ink.panel);
    disc(pen, [x, this.y(value)], 4, ink.accent);
  }
}

function extremes(column, from, to) {
  let low = Infinity,
    high = -Infinity;
  for (let at = max(0, from); at < min(column.length, max(to, from + 1)); at++) {
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

  draw({ shown, ink, theme, difference }) {
    const { surface, reel } = this;
    surface.fit();
    const each = surface.width / max(1, reel.length);
    const pen = surface.begin(theme, reel.length, each < 1 ? round(shown * each) : shown, difference);
    if (!pen) return;
    const still = surface.layer(`${theme} ${reel.length}`, (pencil) => this.paint(pencil, each, ink));
    surface.stamp(still, 0.25);
    surface.stamp(still, 1, shown * each);
    if (difference >= 0) this.paintDifference(pen, (difference + 0.5) * each, ink);
    if (!shown) return;
    const width = max(3, each),
      x = max(1, min((shown - 0.5) * each - width / 2, surface.width - width)) - 1;
    stroke(pen, ink.text, 1.5, () => pen.roundRect(x + 0.75, 1, width - 0.5, surface.height - 2, 3));
  }

  paint(pen, each, ink) {
    const cells = min(this.reel.length, floor(this.surface.width)),
      gap = each > 5 ? 1 : 0;
    const width = max(1, this.surface.width / cells - gap);
    for (let cell = 0; cell < cells; cell++) {
      const from = floor((cell * this.reel.length) / cells),
        to = floor(((cell + 1) * this.reel.length) / cells);
      const mark = this.worst(from, to),
        height = this.surface.height - 6;
      const tall = mark & WRONG ? 1 : this.reel.isLoop && !(mark & INVALID) ? 0.5 : 0.72;
      pen.globalAlpha = mark || this.reel.isLoop ? 1 : 0.25 + 0.75 * (1 - extremes(this.reel.probability, from, to)[0]);
      pen.fillStyle = mark || this.reel.isLoop ? colourOf(mark, ink) : ink.warn;
      pen.fillRect((cell * this.surface.width) / cells, 3 + (1 - tall) * height, width, tall * height);
    }
  }

  worst(from, to) {
    let mark = 0;
    for (let at = from; at < to; at++) mark |= this.reel.marks.data[at];
    return mark;
  }

  paintDifference(pen, x, ink) {
    pen.fillStyle = ink.text;
    pen.beginPath();
    pen.moveTo(x - 4, 0);
    pen.lineTo(x + 4, 0);
    pen.lineTo(x, 6);
    pen.fill();
  }

  stepAt(x) {
    return floor((x / this.surface.width) * this.reel.length);
  }
}

/** The text as it grows. Only one page of tokens is ever in the document. */
class TokenText {
  constructor(reel, onPeek, onSeek) {
    this.reel = reel;
    this.spans = [];
    this.first = 0;
    this.filled = this.current = this.shownTo = 0;
    const at = ({ target }) => this.first + (target.tkAt ?? target.parentNode.tkAt ?? -Infinity);
    const peek = (event) => onPeek(at(event)),
      leave = () => onPeek(-1);
    this.body = h("div", {
      class: "tk-text",
      dir: "auto",
      role: "group",
      "aria-label": "Generated text, token by token",
      pointerover: peek,
      pointerleave: leave,
      focusin: peek,
      focusout: leave,
      click: (event) => at(event) >= 0 && onSeek(at(event)),
    });
    this.pages = h("p", { class: "tk-pages" });
    this.node = h("div", { class: "tk-stage tk-stage-text" }, this.body, this.pages);
  }

  draw({ shown, difference }) {
    const first = floor(max(0, shown - 1) / PAGE_TOKENS) * PAGE_TOKENS;
    const count = min(PAGE_TOKENS, this.reel.length - first);
    if (first !== this.first || difference !== this.difference) this.filled = 0;
    Object.assign(this, { first, difference });
    for (let at = this.filled; at < count; at++) this.fill(at, difference);
    for (let at = count; at < this.spans.length; at++) this.spans[at].hidden = true;
    this.filled = count;
    this.reveal(shown - first);
    const range = `Tokens ${number(first + 1)} to ${number(first + count)} of ${number(this.reel.length)}. `;
    write(this.pages, `${this.reel.length > PAGE_TOKENS ? range : ""}The stronger its colour, the less probable a token was.`);
  }

  fill(at, difference) {
    const span = this.spans[at] ?? this.add(at),
      row = this.reel.rows[this.first + at];
    const text = clip(row.text),
      blank = /^\s*/.exec(text)[0];
    span.firstChild.data = blank; // it would be shaded at the end of a line
    write(span.lastChild, text.slice(blank.length));
    span.hidden = false;
    const off = row.correct === false ? " tk-off" : "",
      differs = this.first + at === difference ? " tk-differs" : "";
    span.className = `tk-token tk-ahead${off}${differs}`;
    const surprise = 1 - exp(min(0, row.logprob));
    span.style.setProperty("--tk-surprise", surprise.toFixed(3));
    if (at < this.shownTo) this.shownTo = at;
  }

  add(at) {
    const span = h("span", { tabindex: -1 }, "", h("i"));
    span.tkAt = at;
    this.spans.push(span);
    this.body.append(span);
    return span;
  }

  reveal(count) {
    for (let at = this.shownTo; at < count; at++) this.spans[at].classList.remove("tk-ahead");
    for (let at = count; at < min(this.shownTo, this.filled); at++) this.spans[at].classList.add("tk-ahead");
    this.shownTo = count;
    const here = this.spans[count - 1],
      before = this.spans[this.current];
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
    const top = span.offsetTop - this.body.offsetTop,
      bottom = top + span.offsetHeight;
    if (top < this.body.scrollTop) this.body.scrollTop = top - 8;
    else if (bottom > this.body.scrollTop + this.body.clientHeight)
      this.body.scrollTop = bottom - this.body.clientHeight + 28;
  }
}

/** Probabilities as bars. */
class Bars {
  constructor(title) {
    this.title = h("h3", {}, title);
    this.list = h("ol", { class: "tk-bars" });
    this.node = h("div", { class: "tk-candidates" }, this.title, this.list);
    this.lines = [];
  }

  draw(candidates, title) {
    write(this.title, title);
    while (this.lines.length < candidates.length) this.add();
    this.lines.forEach((line, at) => this.fill(line, candidates[at]));
  }

  add() {
    const [name, bar, value] = [h("bdi", { class: "tk-name" }), h("i"), h("span", { class: "tk-value" })];
    const node = h("li", {}, name, h("span", { class: "tk-bar" }, bar), value);
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
    this.node = h("dl", { class: "tk-facts" });
    this.values = names.map((name) => {
      const value = h("dd");
      this.node.append(h("div", {}, h("dt", {}, name), value));
      return value;
    });
  }

  draw(values) {
    this.values.forEach((node, at) => {
      const [text, state] = values[at] ?? ["–"];
      write(node, text);
      node.className = state ? `tk-is-${state}` : "";
    });
  }
}

// ---------------------------------------------------------------- a lane: one trace on the screen

const POINTER_FACTS = ["Loop", "Readout", "Direct", "Expected", "Arrived", "Since previous"];
const LOOP_FACTS = ["Loop", "Readout", "Probability", "Entropy", "Arrived", "Since previous"];
const TOKEN_FACTS = ["Token", "Probability", "First token", "Rate", "Arrived", "Since previous"];

class Lane {
  constructor(player, reel, index) {
    Object.assign(this, { player, reel, index, peeked: -1 });
    this.label = player.options.labels?.[index];
    this.title = h("bdi", { class: "tk-title" });
    this.asked = h("bdi", { class: "tk-asked" });
    this.badge = h("span", { class: "tk-badge" });
    this.outcome = h("span", { class: "tk-outcome" });
    this.candidates = new Bars("");
    this.note = h("p", { class: "tk-note", dir: "auto" });
    this.build();
  }

  build() {
    const { reel } = this;
    const peek = (at) => this.peek(at),
      seek = (at) => this.player.seekRow(this.index, at);
    this.stage = !reel.isLoop ? new TokenText(reel, peek, seek) : reel.mapping ? new Wheel(reel) : new Lens(reel);
    this.facts = new Facts(reel.isLoop ? (reel.mapping ? POINTER_FACTS : LOOP_FACTS) : TOKEN_FACTS);
    this.curves = reel.isLoop ? loopCurves(reel) : tokenCurves(reel);
    this.strip = new Strip(reel, `All steps of ${this.label ?? reel.title}; click to go there`);
    for (const target of [this.strip, ...this.curves]) this.makeSeekable(target);
    const curves = h("div", { class: "tk-curves" }, ...this.curves.map((curve) => curve.node));
    const side = h("div", { class: "tk-side" }, this.facts.node, this.candidates.node, this.note, curves);
    const heading = h("h2", {}, this.title, this.badge);
    const about = h("p", { class: "tk-about" }, this.asked, this.outcome);
    const top = h("header", { class: "tk-head" }, h("div", {}, heading, about), this.saveButton());
    const body = h("div", { class: "tk-body" }, this.stage.node, side);
    this.node = h("section", { class: `tk-lane${reel.mapping ? "" : " tk-words"}` }, top, body);
  }

  saveButton() {
    const { onSave } = this.player.options;
    if (!onSave) return null;
    return button(
      "quiet",
      "Save this recording as JSON",
      () => onSave(this.index),
      icon(ICONS.save),
      h("span", {}, "Save JSON"),
    );
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
  draw({ passed, glide, ink, theme, difference }) {
    const { reel } = this;
    const shown = min(passed, reel.length);
    this.shown = shown;
    const peeking = this.peeked >= 0 && this.peeked < shown;
    const at = peeking ? this.peeked : shown - 1;
    const state = { shown, at, glide, ink, theme, difference };
    const row = at >= 0 ? reel.rows[at] : null;
    this.stage.draw(state);
    this.facts.draw(this.factsOf(row, at));
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
    const { status } = this.reel.trace;
    write(this.title, this.label ?? this.reel.title);
    write(this.asked, this.reel.asked);
    this.badge.hidden = !over && status !== "streaming"; // how it ended is told when it has
    write(this.badge, this.badge.hidden ? "" : status);
    this.badge.className = `tk-badge tk-badge-${status}`;
    this.outcome.className = `tk-outcome${over && status !== "complete" ? " tk-is-bad" : ""}`;
    write(this.outcome, over ? outcomeOf(this.reel) : "");
  }

  factsOf(row, at) {
    const { reel } = this,
      of = reel.length < 10000 ? ` / ${number(reel.length)}` : "";
    const count = number(at + 1) + of;
    if (!row) return [[count]];
    const time = reel.times.data[at],
      arrival = [[seconds(time)], [at || reel.isLoop ? seconds(reel.gaps.data[at]) : "–"]];
    if (reel.mapping) return [[count], ...pointerFacts(row), ...arrival];
    const [best] = candidatesOf(row);
    if (reel.isLoop)
      return [
        [count],
        [word(row.prediction), judge(row)],
        [percent(best?.probability)],
        [nats(row.entropy)],
        ...arrival,
      ];
    const first = reel.times.data[0],
      rate = time > first ? `${number(at / (time - first))}/s` : "–";
    return [[count], [percent(reel.probability.data[at])], [seconds(first)], [rate], ...arrival];
  }

  spoken() {
    const row = this.shown ? this.reel.rows[this.shown - 1] : null;
    if (!row) return "At the start.";
    const judged =
      row.correct === undefined ? "" : row.correct ? ", right" : `, wrong, expected ${visible(row.expected ?? "")}`;
    return `${this.reel.isLoop ? "Loop" : "Token"} ${this.shown} of ${this.reel.length}: ${visible(saidBy(row))}${judged}, at ${seconds(row.arrival_seconds)}.`;
  }
}

function judge(row) {
  if (row.edge_valid === false) return "invalid";
  return row.correct === undefined ? "" : row.correct ? "right" : "wrong";
}

function pointerFacts(row) {
  const direct = row.direct_prediction ?? null,
    agrees = direct === row.prediction ? "same" : "differs";
  return [
    [clip(row.prediction, 9), judge(row)],
    direct === null ? ["none"] : [clip(direct, 9), agrees],
    [clip(row.expected ?? "–", 9)],
  ];
}

function loopCurves(reel) {
  const loop = { unit: true, threshold: reel.threshold, crossing: () => reel.crossing, format: percent };
  return [
    new Curve(reel, reel.stop, { name: "stop", title: "Completion probability", ...loop }),
    new Curve(reel, reel.entropy, { name: "entropy", title: "Entropy", format: nats }),
    new Curve(reel, reel.kl, { name: "kl", title: "Change of the readout (KL)", format: nats }),
    new Curve(reel, reel.cosine, {
      name: "cosine",
      title: "Cosine to the loop before",
      format: (value) => value.toFixed(3),
    }),
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
  if (!Number.isFinite(value)) return "–";
  return `${abs(value) < 999.5 ? value.toPrecision(3) : value.toFixed(0)} nats`;
}

function outcomeOf({ trace, isLoop, end, length }) {
  const after = `after ${seconds(end)}`,
    what = `${number(length)} ${isLoop ? "loop" : "token"}${length === 1 ? "" : "s"}`;
  if (trace.status === "failed")
    return clip(`Failed ${after}: ${trace.error?.type ?? "error"}: ${trace.error?.message ?? ""}`);
  if (trace.status === "cancelled") return `Cancelled ${after}, at ${what}.`;
  if (trace.status === "interrupted") return `Interrupted: the process died at ${what}; recovered from its journal.`;
  const summary = trace.summary ?? {},
    said = [`Stopped by ${clip(summary.stop_reason ?? "?", 60)} after ${what}, ${seconds(end)}`];
  if (summary.answer_correct !== undefined) said.push(`answer ${summary.answer_correct ? "right" : "wrong"}`);
  if (summary.exact_stop !== undefined) said.push(`stop ${summary.exact_stop ? "exact" : "not exact"}`);
  if (summary.tokens_per_second !== undefined) said.push(`${number(summary.tokens_per_second)} tokens/s`);
  return said.join(" · ");
}

// ---------------------------------------------------------------- the player: lanes under one transport

/** Keys, what they do in words, and how: the help panel and the keyboard read the same table. */
const KEYS = [
  [[" "], "Space", "play or pause", (to) => to.toggle()],
  [["ArrowLeft", ","], "←  ,", "a step back; with Shift a tenth", (to, shift) => to.back(shift)],
  [["ArrowRight", "."], "→  .", "a step on; with Shift a tenth", (to, shift) => to.on(shift)],
  [[..."0123456789"], "0 – 9", "to that tenth", (to, shift, key) => to.seekPart(key / 10)],
  [["Home"], "Home", "to the start", (to) => to.seek(0)],
  [["End"], "End", "to the end", (to) => to.seekPart(1)],
  [["["], "[", "to the marker before", (to) => to.seekMarker(-1)],
  [["]"], "]", "to the next marker", (to) => to.seekMarker(1)],
  [["<"], "<", "slower", (to) => to.shiftSpeed(-1)],
  [[">"], ">", "faster", (to) => to.shiftSpeed(1)],
  [["s"], "s", "1×, or slow motion", (to) => to.toggleSlow()],
  [["l"], "l", "loop", (to) => to.set({ loop: !to.loop })],
  [["f"], "f", "follow a live run", (to) => to.set({ following: !to.following })],
  [
    ["i"],
    "i",
    "two runs: in step by index or by time",
    (to) => to.set({ sync: to.timeline.byTime ? "index" : "time" }),
  ],
  [["?"], "?", "this help", (to) => to.toggleHelp()],
];

class Player {
  constructor(host, options) {
    this.options = options;
    this.reels = options.traces.map((trace) => new Reel(trace));
    this.pace = { rowsPerSecond: null, maxPause: null };
    Object.assign(this, {
      position: 0,
      passed: 0,
      speed: 1,
      playing: false,
      loop: false,
      sync: "index",
      theme: options.theme ?? "auto",
    });
    this.meter = new Meter();
    this.gone = new AbortController();
    this.following = options.following ?? this.reels.some((reel) => !reel.ended);
    this.build(host);
    this.retime();
    this.open();
    this.listen(); // last: what cannot be drawn leaves no listener behind
  }

  // -------- what is on the screen

  build(host) {
    this.lanes = this.reels.map((reel, index) => new Lane(this, reel, index));
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 1,
      step: "any",
      value: 0,
      class: "tk-slider",
      "aria-label": "Position in the run",
      input: () => this.seekPart(this.slider.valueAsNumber),
    });
    this.markers = h("div", { class: "tk-markers" });
    this.live = h("p", { class: "tk-hear", "aria-live": "polite" });
    this.remark = h("p", { class: "tk-remark" });
    this.now = h("output", { class: "tk-now", "aria-live": "off" });
    const strips = this.lanes.map((lane) => lane.strip.node);
    const deck = h(
      "div",
      { class: "tk-deck" },
      this.remark,
      ...strips,
      h("div", { class: "tk-scrub" }, this.slider, this.markers),
      this.buildControls(),
    );
    this.help = this.buildHelp();
    const lanes = h("div", { class: "tk-lanes" }, ...this.lanes.map((lane) => lane.node));
    const shell = h("div", { class: "tk-shell" }, lanes, deck, this.live, this.help);
    this.root = h("div", { class: "tk", tabindex: -1, role: "region", "aria-label": "Trace player" }, shell);
    this.root.classList.toggle("tk-pair", this.lanes.length > 1);
    host.append(this.root);
    this.dress();
  }

  buildControls() {
    const tool = (name, path, act) => button("button", name, act, icon(path));
    this.playButton = tool("Play (space)", ICONS.play, () => this.toggle());
    this.playButton.classList.add("tk-play");
    this.loopButton = tool("Loop (l)", ICONS.repeat, () => this.set({ loop: !this.loop }));
    this.followButton = tool("Follow the live run (f)", ICONS.follow, () => this.set({ following: !this.following }));
    this.followButton.append("Follow");
    const main = h(
      "div",
      { class: "tk-main" },
      tool("To the start (Home)", ICONS.restart, () => this.seek(0)),
      tool("A step back (←)", ICONS.back, () => this.step(-1)),
      this.playButton,
      tool("A step on (→)", ICONS.next, () => this.step(1)),
    );
    this.speedSelect = this.choice("Speed", [], (value) =>
      this.set({ speed: value === "slow" ? this.slowSpeed : +value }),
    );
    this.paceSelect = this.choice(
      "Pace",
      [["", "as recorded"], ...[1, 2, 5, 10, 30, 100].map((rate) => [rate, `even, ${rate}/s`])],
      (value) => this.set({ rowsPerSecond: +value }),
    );
    this.pauseSelect = this.choice(
      "Longest pause",
      [["", "as it was"], ...[0.1, 0.5, 1, 2, 5].map((pause) => [pause, `${pause} s`])],
      (value) => this.set({ maxPause: +value }),
    );
    this.syncSelect = this.choice(
      "In step",
      [
        ["index", "by step"],
        ["time", "by time"],
      ],
      (value) => this.set({ sync: value }),
    );
    this.syncSelect.parentNode.hidden = this.lanes.length < 2;
    const choices = [this.speedSelect, this.paceSelect, this.pauseSelect, this.syncSelect].map(
      (select) => select.parentNode,
    );
    const aside = h(
      "div",
      { class: "tk-aside" },
      this.followButton,
      this.loopButton,
      tool("Light or dark", ICONS.theme, () => this.set({ theme: this.isDark ? "light" : "dark" })),
      button("button", "Help (?)", () => this.toggleHelp(), "?"),
    );
    return h("div", { class: "tk-controls" }, main, this.now, aside, h("div", { class: "tk-choices" }, ...choices));
  }

  choice(name, entries, act) {
    const select = h("select", { "aria-label": name, change: () => act(select.value) });
    h("label", { class: "tk-choice" }, h("span", {}, name), select);
    fillSelect(select, entries);
    return select;
  }

  buildHelp() {
    const keys = KEYS.map(([, name, what]) => h("div", {}, h("dt", {}, name), h("dd", {}, what)));
    this.timingText = h("p", { class: "tk-timing" });
    this.facts = h("dl", { class: "tk-provenance" });
    const close = button("quiet", "Close", () => this.help.close(), "Close");
    return h(
      "dialog",
      { class: "tk-help", "aria-label": "Help" },
      close,
      h("h2", {}, "Keys"),
      h("dl", { class: "tk-keys" }, ...keys),
      h("h2", {}, "Timing, measured here"),
      this.timingText,
      h("h2", {}, "This recording"),
      this.facts,
    );
  }

  /** Read the colours that the stylesheet gives this theme, for the canvases. */
  dress() {
    this.root.dataset.theme = this.theme;
    const probes = COLOURS.map(() => h("i", { hidden: true }));
    probes.forEach((probe, at) => (probe.style.color = `var(--tk-${COLOURS[at]})`));
    this.root.append(...probes);
    this.ink = Object.fromEntries(probes.map((probe, at) => [COLOURS[at], getComputedStyle(probe).color]));
    probes.forEach((probe) => probe.remove());
    this.themeKey = (this.themeKey ?? 0) + 1;
  }

  get isDark() {
    return this.theme === "dark" || (this.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  }

  // -------- time

  /** Lay out time again: after new rows, another pace, another way of keeping step. */
  retime() {
    const wasSlow = Boolean(this.slowSpeed) && this.speed === this.slowSpeed;
    this.timeline = new Timeline(this.reels, this.sync, this.pace);
    const [one, other] = this.reels;
    this.difference = other ? firstDifference(one, other) : -1;
    const { duration } = this.timeline;
    this.slowSpeed = duration > 0 && duration < SLOW_SECONDS ? max(SLOWEST, duration / SLOW_SECONDS) : null;
    if (wasSlow) this.speed = this.pace.rowsPerSecond ? 1 : playable(this.slowSpeed); // so many rows a second, not fewer
    this.keepFocus(() => this.placeMarkers());
    this.fillSpeeds();
    if (this.following) this.place(duration, this.timeline.length);
    else this.place(this.position, this.passed);
  }

  /** Put the playhead at a position. Of moments due at one time any number may have `passed`: else it is all. */
  place(position, passed = -1) {
    const { due, length, duration } = this.timeline;
    this.position = max(0, min(position, duration));
    const isThere = (passed ? due[passed - 1] : 0) <= this.position && this.position <= (due[passed] ?? Infinity);
    this.passed = isThere ? passed : upperBound(due, length, this.position);
  }

  /** How far along the whole something lies: in time, or where the whole took none, in moments. */
  partAt(position, moments) {
    const { duration, length } = this.timeline;
    return duration ? position / duration : moments / (length || 1);
  }

  get part() {
    return this.partAt(this.position, this.passed);
  }

  get isOver() {
    return this.timeline.length > 0 && this.passed === this.timeline.length;
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
    this.frameMs = min(50, max(4, 0.9 * (this.frameMs ?? FRAME_MS) + 0.1 * (now - (this.lastFrame ?? now - FRAME_MS))));
    this.lastFrame = now;
    const ahead = (now + this.frameMs / 2 - this.anchored.now) / 1000;
    const { duration } = this.timeline,
      before = this.passed;
    this.place(this.anchored.position + ahead * this.speed);
    this.arrivals = [before, this.passed];
    if (this.position < duration) return;
    if (!this.loop) return this.rest("end");
    if (ahead * this.speed + this.anchored.position > duration + 0.8 * this.speed)
      (this.place(0, 0), this.anchor(now));
  }

  measure() {
    if (!this.arrivals) return;
    const drawn = performance.now(),
      { due } = this.timeline;
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
      lane.draw({ ...state, ink: this.ink, theme: this.themeKey });
    });
    this.drawDeck();
    this.measure();
  }

  /** How far the pointer has come on its way to the letter it has just reached. */
  glide(passed) {
    if (!this.playing || !passed || this.still.matches) return 1;
    const { due } = this.timeline;
    const since = (this.position - due[passed - 1]) / this.speed;
    const until = passed < due.length ? (due[passed] - due[passed - 1]) / this.speed : 1;
    const part = min(1, since / max(1e-9, min(0.45, 0.6 * until)));
    return until < 0.05 ? 1 : 1 - (1 - part) ** 3;
  }

  drawDeck() {
    const { timeline, slider } = this,
      whole = timeline.recordedAt(timeline.duration),
      now = timeline.recordedAt(this.position);
    slider.value = this.part;
    slider.style.setProperty("--tk-part", this.part.toFixed(5));
    const counts = timeline.byTime
      ? this.lanes.map((lane) => `step ${lane.shown} of ${lane.reel.length}`).join(" and ")
      : `step ${this.stepHere} of ${this.steps}`;
    slider.setAttribute("aria-valuetext", `${counts}, ${seconds(now)}`);
    write(this.now, `${clock(now, whole)} / ${clock(whole, whole)}`);
    this.keepFocus(() => {
      this.drawRemark();
      this.followButton.hidden = this.reels.every((reel) => reel.ended);
    });
    this.followButton.setAttribute("aria-pressed", this.following);
    this.loopButton.setAttribute("aria-pressed", this.loop);
    if (this.help.open) this.drawTiming();
  }

  /** A change may take the focused control away; the keys must not go dead with it. */
  keepFocus(change) {
    const focused = this.root.getRootNode().activeElement,
      isOurs = this.root.contains(focused);
    change();
    if (isOurs && !focused.checkVisibility()) this.playButton.focus({ preventScroll: true });
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
    const take = (speed, text) => button("link", text, () => (this.set({ speed }), this.play()), text);
    const life = button("link", "1× (s)", () => this.set({ speed: 1 }), "1× (s)");
    const slower = h("span", {}, `Slow motion, ${number(1 / this.speed)} times slower than it ran.`);
    if (this.started) return [slower, life];
    const lasts = number(this.timeline.duration / this.speed);
    return [
      h("span", {}, `This run took ${run}.`),
      take(this.speed, `Watch in slow motion, ${lasts} s`),
      take(1, "or at 1× (s)"),
    ];
  }

  differenceRemark() {
    if (this.lanes.length < 2) return [];
    const at = this.difference;
    if (at < 0) return [h("span", {}, "The two runs say the same at every step.")];
    const said = this.reels.map((reel) => (at < reel.length ? visible(saidBy(reel.rows[at])) : "nothing more"));
    const name = `step ${number(at + 1)}`,
      go = button("link", name, () => this.seekMoments(this.momentsUntilDifference()), name);
    const words = said.map((text) => h("bdi", { class: "tk-said" }, clip(text, 40)));
    return [h("span", {}, "First difference at "), go, words[0], h("span", {}, "against"), words[1]];
  }

  drawTiming() {
    const { count, median, p99 } = this.meter.read();
    const what = count
      ? `${number(count)} moments shown: half within ${median.toFixed(1)} ms of their recorded time, 99 % within ${p99.toFixed(1)} ms.`
      : "Play it, and how far from its recorded time each row is shown will stand here.";
    write(this.timingText, `${what} A frame lasts ${(this.frameMs ?? FRAME_MS).toFixed(1)} ms.`);
  }

  fillFacts() {
    const entries = this.reels.flatMap(({ trace }) => [
      ["Model", trace.model?.name],
      ["Weights (SHA-256)", trace.model?.sha256],
      ["Checkpoint", trace.checkpoint],
      ["Recorded", trace.created_at],
      ["Id", trace.id],
      ["On", trace.environment?.cpu],
      ["With", `${trace.recorder?.name} ${trace.recorder?.version}`],
    ]);
    const known = entries.filter(([, value]) => value);
    this.facts.replaceChildren(
      ...known.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, clip(String(value), 120)))),
    );
  }

  placeMarkers() {
    const { timeline } = this,
      found = [];
    const mark = (kind, name, moments) =>
      found.push({ kind, name, moments, position: timeline.due[moments - 1] });
    this.reels.forEach((reel, lane) => {
      const whose = this.reels.length > 1 ? ` (${"AB"[lane]})` : "";
      const put = (kind, name, at) =>
        at >= 0 && mark(kind, `${name} ${at + 1}${whose}`, timeline.momentsUntil(lane, at));
      put("error", `First error: ${reel.isLoop ? "loop" : "token"}`, reel.firstError);
      put("stop", "Completion crosses its threshold: loop", reel.crossing);
      if (reel.trace.status === "failed") mark("error", `Failed${whose}`, timeline.momentsUntil(lane, reel.length));
    });
    if (this.difference >= 0)
      mark("difference", `First difference: step ${this.difference + 1}`, this.momentsUntilDifference());
    this.marks = found.filter((one) => one.position !== undefined).sort((a, b) => a.moments - b.moments);
    this.markers.replaceChildren(...this.marks.map((one) => this.marker(one)));
  }

  /** Where one run is over, it is the other that goes on to differ. */
  momentsUntilDifference() {
    const lane = this.difference < this.reels[0].length ? 0 : 1;
    return this.timeline.momentsUntil(lane, this.difference);
  }

  marker({ kind, name, moments, position }) {
    const node = button(`marker tk-marker-${kind}`, name, () => this.seekMoments(moments));
    node.tabIndex = -1; // the keys [ and ] reach them
    node.style.setProperty("--tk-part", this.partAt(position, moments).toFixed(5));
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
    return max(...this.reels.map((reel) => reel.length));
  }

  /** The step of the lane that has come farthest. */
  get stepHere() {
    return max(...this.reels.map((reel, lane) => min(this.timeline.passed(lane, this.passed), reel.length)));
  }

  toggle() {
    if (this.playing) this.rest("pause");
    else this.play();
  }

  play() {
    if (this.isOver) this.place(0, 0);
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

  /** Go to a position in playing seconds, and show it at once. At the start nothing has passed yet. */
  seek(position, passed = position > 0 ? -1 : 0) {
    this.place(position, passed);
    this.follow(false);
    this.anchor();
    this.draw();
    if (!this.playing) this.reached();
  }

  seekMoments(moments) {
    const m = max(0, min(moments, this.timeline.length));
    this.seek(m ? this.timeline.due[m - 1] : 0, m);
  }

  seekRow(lane, at) {
    const last = max(0, this.reels[lane].length - 1);
    this.seekMoments(this.timeline.momentsUntil(lane, max(0, min(at, last))));
  }

  seekPart(part) {
    const { duration, length } = this.timeline;
    if (duration && part < 1) this.seek(part * duration);
    else this.seekMoments(round(part * length));
  }

  back(far) {
    if (far) this.seekPart(this.part - 0.1);
    else this.step(-1);
  }

  on(far) {
    if (far) this.seekPart(this.part + 0.1);
    else this.step(1);
  }

  /** A step: to the next row, or the one before. Of a lane's end there is nothing to see but after the last row. */
  step(by) {
    this.rest("pause");
    this.seekMoments(min(this.passed, this.timeline.rows) + by);
  }

  seekMarker(by) {
    const { due, length } = this.timeline;
    const isBefore = (m) => m < this.passed || (m ? due[m - 1] : 0) < this.position;
    const all = [0, ...this.marks.map((one) => one.moments), length];
    const beyond = all.filter((m) => (by > 0 ? m > this.passed : isBefore(m)));
    if (beyond.length) this.seekMoments(by > 0 ? beyond[0] : beyond[beyond.length - 1]);
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
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.dress(), this.redraw()), {
      signal,
    });
    this.watcher = new ResizeObserver(() => this.redraw());
    this.watcher.observe(this.root);
  }

  /** A hidden page gets no frames: what falls due meanwhile is not measured. */
  onHidden() {
    if (document.hidden || !this.playing) return;
    this.place(this.anchored.position + ((performance.now() - this.anchored.now) / 1000) * this.speed);
    this.anchor();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || (this.help.open && event.key !== "?")) return;
    const target = event.composedPath()[0],
      tag = target.tagName;
    const isText =
      tag === "SELECT" || tag === "TEXTAREA" || target.isContentEditable || (tag === "INPUT" && target !== this.slider);
    if (isText || (tag === "BUTTON" && (event.key === " " || event.key === "Enter"))) return;
    const found = KEYS.find(([keys]) => keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found[3](this, event.shiftKey, event.key);
  }

  emit(type, more = {}) {
    this.options.onEvent?.({ type, ...more });
  }

  /** The player rests at a step: say so, once, to the page and to a screen reader. */
  reached() {
    const { step, time } = this.state();
    if (this.passed === this.said) return;
    this.said = this.passed;
    this.draw();
    const over = this.isOver ? this.lanes.map((lane) => lane.outcome.textContent.trim()) : [];
    write(this.live, [...this.lanes.map((lane) => lane.spoken()), ...over].join(" "));
    this.emit("step", { step, time });
  }

  // -------- the handle

  open() {
    const { speed, step, time } = this.options,
      isShort = this.timeline.duration < TOO_SHORT_SECONDS;
    const offered = isShort && this.slowSpeed && !this.following ? this.slowSpeed : 1;
    this.said = 0;
    this.speed = playable(speed ?? offered);
    this.set({});
    this.draw();
    if (step !== undefined || time !== undefined) this.seekTo({ step, time });
  }

  seekTo({ step, time }) {
    if (Number.isFinite(step)) this.seekMoments(this.timeline.momentsUntilStep(trunc(step)));
    else if (Number.isFinite(time)) this.seek(this.timeline.positionAt(time));
  }

  set(changes) {
    const recorded = this.timeline.recordedAt(this.position),
      passed = this.passed,
      before = this.speed;
    for (const name of ["rowsPerSecond", "maxPause"])
      if (name in changes) this.pace[name] = changes[name] > 0 ? changes[name] : null;
    if ("speed" in changes) this.speed = playable(changes.speed);
    if ("loop" in changes) this.loop = Boolean(changes.loop);
    if ("sync" in changes) this.sync = changes.sync === "time" ? "time" : "index";
    if ("theme" in changes) ((this.theme = changes.theme), this.dress());
    if ("following" in changes) this.setFollowing(changes.following);
    if ("rowsPerSecond" in changes || "maxPause" in changes || "sync" in changes)
      this.replace(recorded, passed, "sync" in changes);
    if (this.speed !== before) ((this.meter = new Meter()), this.emit("speed", { speed: this.speed }));
    this.fillSpeeds();
    this.paceSelect.value = String(this.pace.rowsPerSecond ?? "");
    this.pauseSelect.value = String(this.pace.maxPause ?? "");
    this.syncSelect.value = this.sync;
    this.anchor();
    this.redraw();
  }

  /** Keep the place under another pace: the same step, or under another order the same time. */
  replace(recorded, passed, byTime) {
    this.retime();
    const { due, length } = this.timeline,
      m = min(passed, length);
    if (byTime) this.place(this.timeline.positionAt(recorded), passed && -1);
    else this.place(m ? due[m - 1] : 0, m);
  }

  setFollowing(on) {
    if (on && this.reels.every((reel) => reel.ended)) return;
    if (on) this.rest("pause");
    this.follow(Boolean(on));
    if (on) this.place(this.timeline.duration, this.timeline.length);
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
    const same =
      traces.length === this.reels.length && traces.every((trace, lane) => this.reels[lane].continues(trace));
    if (!same) return false;
    traces.forEach((trace, lane) => {
      const { length } = this.reels[lane],
        grown = trace.trace.slice(length);
      const { status, summary, error, inference_seconds } = trace;
      const ended = status !== "streaming" && !this.reels[lane].ended;
      if (grown.length || ended) this.append(grown, { status, summary, error, inference_seconds }, lane);
    });
    return true;
  }

  state() {
    const { timeline, playing, following, speed, loop, sync, theme, pace } = this;
    const recorded = timeline.recordedAt(this.position),
      duration = timeline.recordedAt(timeline.duration);
    return {
      step: this.stepHere,
      steps: this.steps,
      time: recorded,
      duration,
      playing,
      following,
      over: this.isOver,
      speed,
      loop,
      sync,
      theme,
      ...pace,
    };
  }

  destroy() {
    this.playing = false;
    cancelAnimationFrame(this.ticking);
    this.gone.abort();
    this.watcher.disconnect();
    this.root.remove();
  }
}

function playable(speed) {
  return max(SLOWEST, min(FASTEST, speed > 0 ? speed : 1));
}

/** Give a select its options; the same ones again would close it under the hand that opened it. */
function fillSelect(select, entries) {
  const key = JSON.stringify(entries);
  if (select.tkEntries === key) return;
  select.tkEntries = key;
  select.replaceChildren(...entries.map(([value, text]) => h("option", { value: String(value) }, text)));
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
  const link = h("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Play the recordings that lie in the page's data blocks. */
export function openPage(page) {
  const blocks = [...page.querySelectorAll('script[type="application/json"]')];
  const player = mount(page.body, {
    traces: blocks.map((block) => JSON.parse(block.textContent)), // escaped or not, it is the same JSON
    keys: page,
    onSave: (lane) => save(unescapeData(blocks[lane].textContent), blocks[lane].dataset.name),
    ...readHash(page.location.hash),
  });
  window.addEventListener("hashchange", () => {
    const { speed, ...where } = readHash(page.location.hash);
    if (speed) player.set({ speed });
    player.seek(where);
  });
  return player;
}
