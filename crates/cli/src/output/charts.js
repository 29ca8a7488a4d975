// What pages are drawn with, from their data: charts as SVG, tables that sort. No network.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const groups = data.groups;
// Okabe and Ito's colours; dashes and marks differ as well, so that nothing is told by colour alone.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];
const DASHES = ["", "7 5", "2 4", "14 5"];
const colour = (i) => COLOURS[i % COLOURS.length];
const dash = (i) => DASHES[i % DASHES.length];
const width = (i) => (Math.floor(i / DASHES.length) % 2 ? 4 : 2);

function element(namespace) {
  return (name, attributes = {}, parent = null, text = null) => {
    const made = namespace ? document.createElementNS(namespace, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== null) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
}
const html = element(null);
const svg = element("http://www.w3.org/2000/svg");
const known = (x) => typeof x === "number" && Number.isFinite(x);

// A number in five digits or so.
function short(x, digits = 5) {
  if (!known(x)) return "–";
  const size = Math.abs(x);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return x.toExponential(digits - 2).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(x.toPrecision(digits)));
}

// A number in a table: whole numbers have all their digits.
function exact(x) {
  return Number.isInteger(x) && Math.abs(x) < 1e15 ? String(x) : short(x);
}

// Where values lie on an axis: by their logarithms where they span decades and none is negative, unless it is to be
// linear. Zero has a place below all others then. What lies beyond the farthest place, so that lengths would be infinite,
// lies there.
const FARTHEST = 8e307;
class Scale {
  constructor(name, values, isLinear = false) {
    this.name = name;
    let least = Infinity, most = 0, low = Infinity, high = -Infinity, zero = false;
    for (const value of values) {
      if (!known(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
      if (value > 0) { least = Math.min(least, value); most = Math.max(most, value); }
      if (value === 0) zero = true;
    }
    this.isLog = !isLinear && low >= 0 && least <= most && (zero || most >= 4 * least);
    this.zero = this.isLog && zero ? Math.floor(Math.log10(least)) - 1 : null;
    if (low > high) { low = 0; high = 1; }
    [low, high] = [this.place(low), this.place(high)];
    if (high - low < 1e-9 * Math.max(Math.abs(low), Math.abs(high), 1e-300)) {
      const more = 0.05 * Math.max(Math.abs(low), Math.abs(high)) || 1;
      [low, high] = [low - more, high + more];
    }
    const more = 0.03 * (high - low);
    this.whole = [low - more, high + more];
  }
  place(value) {
    if (!known(value)) return null;
    if (!this.isLog) return Math.min(Math.max(value, -FARTHEST), FARTHEST);
    return value > 0 ? Math.log10(value) : this.zero;
  }
  value(place) {
    if (!this.isLog) return place;
    return this.zero !== null && place < this.zero + 0.5 ? 0 : 10 ** place;
  }
  ticks(low, high, count) {
    if (this.labels) return this.labels.filter(([at]) => at >= low && at <= high);
    const span = high - low;
    if (this.isLog && span < 2.5) {
      const mantissas = span < 1 ? [1, 2, 3, 4, 5, 6, 8] : [1, 2, 5], found = [];
      for (let e = Math.floor(low); e <= high; e++) {
        for (const m of mantissas) found.push([e + Math.log10(m), short(Number(`${m}e${e}`))]);
      }
      const kept = found.filter(([at]) => at >= low && at <= high && (this.zero === null || at > this.zero));
      if (this.zero !== null && low <= this.zero) kept.push([this.zero, "0"]);
      if (kept.length > 1) return kept;
    } else if (this.isLog) {
      const step = Math.ceil(span / count), found = [];
      for (let e = Math.ceil(low); e <= high; e += step) {
        if (this.zero !== null && e <= this.zero) { if (e === this.zero) found.push([e, "0"]); continue; }
        found.push([e, e >= -4 && e <= 5 ? String(Number(`1e${e}`)) : `1e${e}`]);
      }
      return found;
    }
    const [from, to] = [this.value(low), this.value(high)];
    const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max([1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || rough, this.isWhole ? 1 : 0);
    const digits = Math.max(0, Math.ceil(Math.log10(Math.max(Math.abs(from), Math.abs(to)) / step)) + 1);
    const found = [];
    for (let i = Math.ceil(from / step); i <= to / step; i++) {
      found.push([this.place(i * step), short(i * step, Math.min(15, Math.max(5, digits)))]);
    }
    return found.filter(([at]) => at !== null);
  }
}

// A pair of axes to zoom into and to point at. `marks` draws, `point` says what is nearest to a place.
class Chart {
  constructor(parent, label, size) {
    this.node = html("div", { class: "chart" }, parent);
    [this.width, this.height] = size;
    this.node.style.maxWidth = `${this.width}px`;
    this.box = { left: 92, top: 10, right: this.width - 16, bottom: this.height - 50 };
    this.svg = svg("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "img", "aria-label": label }, this.node);
    this.node.id = label.replace(/\W+/g, "-").toLowerCase();
    const { left, top, right, bottom } = this.box;
    const clip = svg("clipPath", { id: `${this.node.id}-clip` }, this.svg);
    svg("rect", { x: left, y: top, width: right - left, height: bottom - top }, clip);
    this.axes = svg("g", {}, this.svg);
    this.marks = svg("g", { class: "marks", "clip-path": `url(#${clip.id})` }, this.svg);
    svg("rect", { class: "frame", x: left, y: top, width: right - left, height: bottom - top }, this.svg);
    this.over = svg("g", {}, this.svg);
    this.cover = svg("rect", { class: "cover", x: left, y: top, width: right - left, height: bottom - top }, this.svg);
    this.tip = html("div", { class: "tip", hidden: "" }, this.node);
    this.reset = html("button", { type: "button", hidden: "" }, this.node, "Show all");
    this.reset.addEventListener("click", () => this.zoom(null));
    this.listen();
  }
  show(x, y, draw, point) {
    Object.assign(this, { x, y, paint: draw, point, window: null });
    this.draw();
  }
  zoom(window) {
    this.window = window;
    this.reset.hidden = !window;
    this.draw();
  }
  draw() {
    const [[x0, x1], [y0, y1]] = this.window || [this.x.whole, this.y.whole];
    const { left, top, right, bottom } = this.box;
    this.px = (place) => left + ((place - x0) / (x1 - x0)) * (right - left);
    this.py = (place) => bottom - ((place - y0) / (y1 - y0)) * (bottom - top);
    this.ux = (px) => x0 + ((px - left) / (right - left)) * (x1 - x0);
    this.uy = (py) => y0 + ((bottom - py) / (bottom - top)) * (y1 - y0);
    for (const group of [this.axes, this.marks, this.over]) group.replaceChildren();
    this.tip.hidden = true;
    for (const [place, text] of this.x.ticks(x0, x1, 8)) {
      const at = this.px(place);
      svg("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }, this.axes);
      svg("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, this.axes, text);
    }
    for (const [place, text] of this.y.ticks(y0, y1, 7)) {
      const at = this.py(place);
      svg("line", { class: "grid", x1: left, x2: right, y1: at, y2: at }, this.axes);
      svg("text", { x: left - 7, y: at + 4, "text-anchor": "end" }, this.axes, text.length > 13 ? `${text.slice(0, 12)}…` : text);
    }
    const middle = (top + bottom) / 2;
    svg("text", { x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, this.axes, this.x.name);
    svg("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, this.axes, this.y.name);
    this.paint(this);
  }
  path(points) {
    return points.map(([x, y], i) => `${i ? "L" : "M"}${this.px(x).toFixed(1)} ${this.py(y).toFixed(1)}`).join("");
  }
  line(points, number) {
    const look = { class: "line", d: this.path(points), stroke: colour(number), "stroke-width": width(number), "stroke-dasharray": dash(number) };
    return svg("path", look, this.marks);
  }
  // Discs, triangles, squares, crosses.
  mark([x, y], number, size = 4) {
    const [px, py] = [this.px(x), this.py(y)], s = size;
    const look = { class: "mark", transform: `translate(${px.toFixed(1)} ${py.toFixed(1)})`, fill: colour(number) };
    switch (number % 4) {
      case 0: return svg("circle", { ...look, r: s }, this.marks);
      case 1: return svg("path", { ...look, d: `M${-s - 1} ${s}L${s + 1} ${s}L0 ${-s - 2}Z` }, this.marks);
      case 2: return svg("rect", { ...look, x: -s, y: -s, width: 2 * s, height: 2 * s }, this.marks);
      default: return svg("path", { ...look, d: `M${-s} ${-s}L${s} ${s}M${-s} ${s}L${s} ${-s}`, stroke: colour(number), "stroke-width": 2 }, this.marks);
    }
  }
  // The nearest of `points`, each with a place and a text, within reach.
  nearest(points, x, y) {
    let best = null, least = 20 ** 2;
    for (const point of points) {
      const distance = (this.px(point.at[0]) - this.px(x)) ** 2 + (this.py(point.at[1]) - this.py(y)) ** 2;
      if (distance < least) { best = point; least = distance; }
    }
    return best;
  }
  listen() {
    let from = null;
    const at = (event) => {
      const shown = this.svg.getBoundingClientRect();
      const scale = this.width / shown.width;
      const { left, top, right, bottom } = this.box;
      const inside = (p, low, high) => Math.min(Math.max(p, low), high);
      return [inside((event.clientX - shown.left) * scale, left, right), inside((event.clientY - shown.top) * scale, top, bottom)];
    };
    const area = (a, b) => ({ x: Math.min(a[0], b[0]), y: Math.min(a[1], b[1]), width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1]) });
    this.cover.addEventListener("pointerdown", (event) => {
      from = at(event);
      this.cover.setPointerCapture(event.pointerId);
    });
    this.cover.addEventListener("pointermove", (event) => {
      const to = at(event);
      this.over.replaceChildren();
      if (from) svg("rect", { class: "selection", ...area(from, to) }, this.over);
      else this.hover(to);
    });
    this.cover.addEventListener("pointerup", (event) => {
      const chosen = from && area(from, at(event));
      from = null;
      this.over.replaceChildren();
      if (!chosen || chosen.width < 6 || chosen.height < 6) return;
      const { x, y, width, height } = chosen;
      this.zoom([[this.ux(x), this.ux(x + width)], [this.uy(y + height), this.uy(y)]]);
    });
    this.cover.addEventListener("pointerleave", () => {
      this.over.replaceChildren();
      this.tip.hidden = true;
    });
    this.cover.addEventListener("dblclick", () => this.zoom(null));
  }
  hover([px, py]) {
    const found = this.point && this.point(this, this.ux(px), this.uy(py));
    this.tip.hidden = !found;
    if (!found) return;
    const { top, bottom } = this.box;
    const at = this.px(found.at[0]);
    if (found.at[1] === null) svg("line", { class: "cursor", x1: at, x2: at, y1: top, y2: bottom }, this.over);
    else svg("circle", { cx: at, cy: this.py(found.at[1]), r: 8, fill: "none", stroke: "#282828" }, this.over);
    this.tip.textContent = found.text;
    const scale = this.svg.getBoundingClientRect().width / this.width;
    const left = px * scale + 14;
    const fits = left + this.tip.offsetWidth < this.width * scale;
    this.tip.style.left = `${fits ? left : px * scale - 14 - this.tip.offsetWidth}px`;
    this.tip.style.top = `${py * scale + 14}px`;
  }
}

function section(title, note) {
  const made = html("section", {}, document.getElementById("charts"));
  html("h2", {}, made, title);
  if (note) html("p", { class: "note" }, made, note);
  return made;
}

function legend(parent) {
  if (groups.length < 2) return;
  const list = html("ul", { class: "legend" }, parent);
  groups.forEach((group, i) => {
    const item = html("li", {}, list);
    const sample = svg("svg", { viewBox: "0 0 36 12", "aria-hidden": "true" }, item);
    svg("line", { x1: 0, x2: 36, y1: 6, y2: 6, stroke: colour(i), "stroke-width": width(i), "stroke-dasharray": dash(i) }, sample);
    item.append(group.name);
  });
}

function choice(parent, label, options, change) {
  const shown = html("label", {}, parent, `${label} `);
  const select = html("select", {}, shown);
  options.forEach((text, i) => html("option", { value: i }, select, text));
  select.addEventListener("change", () => change(Number(select.value)));
}

// How many of the runs end at a value or below it: a line for each group, of its values, null where there is none. Runs
// without a value are the worst.
function shares(chart, name, series, moreIsBetter) {
  const x = new Scale(name, series.flat());
  const y = new Scale("share of the runs (%)", [0, 100]);
  Object.assign(y, { isLog: false, zero: null, whole: [0, 104] });
  const points = series.map((finals, number) => {
    const numbered = finals.map((value, run) => ({ value, run }));
    const sorted = numbered.filter((final) => known(final.value)).sort((a, b) => a.value - b.value);
    const before = moreIsBetter ? finals.length - sorted.length : 0;
    const part = (runs) => (100 * runs) / finals.length;
    return sorted.map(({ value, run }, i) => {
      const [below, share] = [part(before + i), part(before + i + 1)];
      const good = short(moreIsBetter ? 100 - below : share);
      return { at: [x.place(value), share], below, text: `${groups[number].name}, run ${run}: ${value}\n${good} % of the runs are as good` };
    });
  });
  const draw = () => points.forEach((all, i) => {
    chart.line(all.flatMap(({ at, below }) => [[at[0], below], at]), i);
    if (all.length <= 200) all.forEach(({ at }) => chart.mark(at, i));
  });
  chart.show(x, y, draw, (_, at, up) => chart.nearest(points.flat(), at, up));
}

// How many of the runs, or what they are called, have a value, null where there is none, in each of so many bins: bars side
// by side, one for each group. Makes the chart, and returns what shows in it the values of the groups along an axis.
const BINS = 20;
const OF_RUNS = { what: "run", size: [1050, 300], said: "How many of the runs lie in each bin." };
function histogram(parent, label, { what, size, said } = OF_RUNS) {
  const note = html("p", { class: "note" }, parent);
  const chart = new Chart(parent, label, size);
  return (x, series) => {
    const places = series.map((values) => values.map((value) => x.place(value)).filter(known));
    const bins = binned(x, places.flat());
    const counts = places.map((all) => {
      const count = bins.map(() => 0);
      for (const place of all) count[bins.findLastIndex(({ from }) => place >= from)] += 1;
      return count;
    });
    const y = new Scale(`${what}s`, []);
    const most = counts.flat().reduce((a, b) => Math.max(a, b), 1);
    Object.assign(y, { whole: [0, 1.08 * most], isWhole: true });
    const without = groups.map(({ name }, i) => ({ name, runs: series[i].length - places[i].length, all: series[i].length }));
    const missing = without.filter(({ runs }) => runs).map(({ name, runs, all }) => `${name} ${runs} of ${all}`).join(", ");
    note.textContent = `${said}${missing && ` Without a value, and in none: ${missing}.`}`;
    const draw = () => bins.forEach(({ from, to }, bin) => counts.forEach((count, i) => {
      if (!count[bin]) return;
      const [left, right] = [chart.px(from), chart.px(to)];
      // A little paper between the bins.
      const across = (0.9 * (right - left)) / counts.length, top = chart.py(count[bin]);
      const at = { x: left + 0.05 * (right - left) + i * across, y: top, width: across, height: chart.py(0) - top };
      svg("rect", { class: "bar", ...at, fill: colour(i), stroke: colour(i), "stroke-dasharray": dash(i) }, chart.marks);
    }));
    chart.show(x, y, draw, (_, at) => {
      const bin = bins.findIndex(({ from, to }) => at >= from && at <= to);
      if (bin < 0) return null;
      const lines = counts.map((count, i) => `${groups[i].name}: ${count[bin]} of ${series[i].length} ${what}${series[i].length === 1 ? "" : "s"}`);
      return { at: [(bins[bin].from + bins[bin].to) / 2, null], text: [`${x.name}: ${bins[bin].text}`, ...lines].join("\n") };
    });
  };
}

// From the least to the most of places on an axis, equally wide there; the last one has its end. What nearly
// agrees has one bin, and so has zero on a logarithmic axis.
function binned(x, places) {
  const width = (x.whole[1] - x.whole[0]) / BINS;
  const around = (place, text) => ({ from: place - width / 2, to: place + width / 2, text });
  const others = places.filter((place) => place !== x.zero);
  const bins = others.length < places.length ? [around(x.zero, "0")] : [];
  if (!others.length) return bins;
  const low = others.reduce((a, b) => Math.min(a, b)), high = others.reduce((a, b) => Math.max(a, b));
  const between = (from, to) => {
    const ends = [from, to].map((place) => x.value(place)), size = Math.max(...ends.map(Math.abs));
    const digits = Math.ceil(Math.log10(size / (ends[1] - ends[0]))) + 3;
    return ends.map((end) => short(end, Math.min(Math.max(digits, 3), 15))).join(" to ");
  };
  if (high - low < width) {
    return [...bins, around((low + high) / 2, high > low ? between(low, high) : short(x.value(low), 12))];
  }
  const edge = (i) => (i === BINS ? high : low + (high - low) * (i / BINS));
  for (let i = 0; i < BINS; i++) bins.push({ from: edge(i), to: edge(i + 1), text: between(edge(i), edge(i + 1)) });
  return bins;
}

// A table whose headings sort it: by numbers where a column has them, those that are none last.
function table(parent, id, head, rows) {
  const scroll = html("div", { class: "scroll" }, html("div", {}, parent));
  const made = html("table", { id }, scroll);
  const heads = html("tr", {}, html("thead", {}, made));
  const body = html("tbody", {}, made);
  const isText = head.map((_, i) => rows.some((row) => typeof row[i] === "string"));
  const fill = () => body.replaceChildren(...rows.map((row) => {
    const line = html("tr");
    row.forEach((cell, i) => html("td", isText[i] ? { class: "text" } : { title: cell ?? "" }, line, isText[i] ? cell : exact(cell)));
    return line;
  }));
  head.forEach((text, i) => {
    const cell = html("th", { scope: "col", ...(isText[i] && { class: "text" }) }, heads);
    html("button", { type: "button" }, cell, text).addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of heads.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => (isText[i] ? a[i].localeCompare(b[i]) : a[i] - b[i]);
      rows.sort((a, b) => {
        if (!isText[i] && known(a[i]) !== known(b[i])) return known(a[i]) ? -1 : 1;
        if (!isText[i] && !known(a[i])) return 0;
        return down ? -order(a, b) : order(a, b);
      });
      fill();
    });
  });
  fill();
}

// Texts to unfold, each with a name.
function texts(parent, title, shown) {
  html("h2", {}, parent, title);
  for (const [name, text] of shown) {
    const details = html("details", {}, parent);
    html("summary", {}, details, name);
    html("pre", {}, details, text);
  }
}
