// The page of fits. `charts.js` goes before it.
const room = (most) => Math.min(most, Math.max(320, document.getElementById("charts").clientWidth));

// A table that stays as it is: the first column and those of these numbers are text.
function plain(parent, id, head, rows, texts = [0]) {
  const made = html("table", { id, class: "plain" }, html("div", { class: "scroll" }, parent));
  const look = (i) => (texts.includes(i) ? { class: "text" } : {});
  const line = html("tr", {}, html("thead", {}, made));
  head.forEach((text, i) => html("th", { scope: "col", ...look(i) }, line, text));
  const body = html("tbody", {}, made);
  for (const row of rows) {
    const line = html("tr", {}, body);
    row.forEach((text, i) => html(i ? "td" : "th", { ...(i ? {} : { scope: "row" }), ...look(i) }, line, text));
  }
}

function facts(parent, id, rows) {
  const body = html("tbody", {}, html("table", { id, class: "facts" }, parent));
  for (const [name, text] of rows) {
    const line = html("tr", {}, body);
    html("th", { class: "text", scope: "row" }, line, name);
    html("td", { class: "text" }, line, text);
  }
}

function summary() {
  const parent = document.getElementById("summary");
  facts(parent, "before", data.before);
  html("h2", {}, parent, "Parameters");
  const [head, ...rows] = data.parameters;
  plain(parent, "parameters", head, rows, [0, head.indexOf("unit")]);
  if (data.correlation.length > 1) {
    html("h2", {}, parent, "Correlation");
    const names = rows.map((row) => row[0]);
    const shown = (x) => (known(x) ? x.toFixed(3) : "–");
    plain(parent, "correlation", ["", ...names], data.correlation.map((row, i) => [names[i], ...row.map(shown)]));
  }
  html("h2", {}, parent, data.count > 1 ? "All fits" : "How well it fits");
  if (data.statuses.length) {
    const part = (count) => `${((100 * count) / data.count).toFixed(2)} %`;
    plain(parent, "statuses", ["status", "fits", "share"], data.statuses.map(([name, count]) => [name, String(count), part(count)]));
  }
  facts(parent, "after", data.after);
  const files = html("p", { id: "files", class: "note" }, parent, "Files beside this page: ");
  data.files.forEach((name, i) => {
    if (i) files.append(", ");
    html("a", { href: name }, files, name);
  });
}

// Discs are data, a line or crosses are the model.
function samples(parent, hasLine) {
  const list = html("ul", { class: "legend" }, parent);
  const item = (name, draw) => {
    const made = html("li", {}, list);
    draw(svg("svg", { viewBox: "0 0 36 12", "aria-hidden": "true" }, made));
    made.append(name);
  };
  item("data", (to) => svg("circle", { cx: 18, cy: 6, r: 4, fill: colour(0) }, to));
  const model = hasLine ? "M0 6L36 6" : "M14 2L22 10M14 10L22 2";
  item("model", (to) => svg("path", { d: model, stroke: colour(1), "stroke-width": 2 }, to));
}

// What there is to say of a row.
function said(of, i) {
  const [seen, model, sigma] = [of.observed[i], of.predicted[i], of.sigma[i]];
  const error = known(sigma) ? ` ± ${short(sigma)}` : "";
  return `${of.over} = ${short(of.along[i])}\n${of.name} = ${short(seen)}${error}\nmodel: ${short(model)}\nresidual: ${short(seen - model, 3)}`;
}

// Marks with their errors, of those rows whose places are known.
function rows(chart, x, y, of, values) {
  const places = of.along.map((at, i) => ({ at: [x.place(at), y.place(values[i])], i })).filter(({ at }) => at.every(known));
  const points = places.map(({ at, i }) => ({ at, text: said(of, i) }));
  const draw = () => {
    for (const { at, i } of places) {
      if (!known(of.sigma[i])) continue;
      const [low, high] = [-1, 1].map((side) => chart.py(y.place(values[i] + side * of.sigma[i])));
      svg("line", { class: "error", x1: chart.px(at[0]), x2: chart.px(at[0]), y1: low, y2: high }, chart.marks);
    }
    const size = places.length > 300 ? 2 : 3;
    for (const { at } of places) chart.mark(at, 0, size);
  };
  return { draw, point: (_, at, up) => chart.nearest(points, at, up) };
}

// Numbers, with the ends of error bars. A bar that is much longer than the numbers lie apart, as of a point that is not to
// count, is cut: otherwise nothing else would be seen.
const LONGEST = 3;
function withErrors(numbers, values, sigma) {
  const seen = numbers.filter(known);
  const low = seen.reduce((a, b) => Math.min(a, b), Infinity), high = seen.reduce((a, b) => Math.max(a, b), -Infinity);
  const more = LONGEST * (high - low), cut = (at) => Math.min(Math.max(at, low - more), high + more);
  const ends = values.flatMap((value, i) => (known(value) && known(sigma[i]) ? [value - sigma[i], value + sigma[i]] : []));
  return [...numbers, ...ends.map(cut)];
}

function beside(parent, label, of, size) {
  const chart = new Chart(parent, label, size);
  const model = of.line.length ? of.line : of.along.map((at, i) => [at, of.predicted[i]]);
  const x = new Scale(of.over, [...of.along, ...of.line.map(([at]) => at)], true);
  const y = new Scale(of.name, withErrors([...of.observed, ...model.map(([, up]) => up)], of.observed, of.sigma), true);
  const data = rows(chart, x, y, of, of.observed);
  const draw = () => {
    data.draw();
    const places = model.map(([at, up]) => [x.place(at), y.place(up)]).filter((at) => at.every(known));
    if (of.line.length) {
      svg("path", { class: "line model", d: chart.path(places), stroke: colour(1), "stroke-width": 2 }, chart.marks);
      return;
    }
    for (const at of places) {
      const [px, py] = [chart.px(at[0]), chart.py(at[1])], d = `M${px - 4} ${py - 4}l8 8M${px - 4} ${py + 4}l8 -8`;
      svg("path", { class: "line model", d, stroke: colour(1), "stroke-width": 2 }, chart.marks);
    }
  };
  chart.show(x, y, draw, data.point);
  return x;
}

function residuals(parent, label, of, x, size) {
  const chart = new Chart(parent, label, size);
  const left = of.observed.map((seen, i) => (known(seen) && known(of.predicted[i]) ? seen - of.predicted[i] : null));
  const y = new Scale("residual", withErrors([0, ...left], left, of.sigma), true);
  const data = rows(chart, x, y, of, left);
  const draw = () => {
    const [from, to, at] = [chart.px(x.whole[0]), chart.px(x.whole[1]), chart.py(0)];
    svg("line", { class: "zero", x1: from, x2: to, y1: at, y2: at }, chart.marks);
    data.draw();
  };
  chart.show(x, y, draw, data.point);
}

const HINT = "Drag to zoom, double-click to show all, point at a place to read it.";

function one() {
  data.panels.forEach((of, i) => {
    const parent = section(data.panels.length > 1 ? of.name : "Data and model", HINT);
    samples(parent, of.line.length);
    const x = beside(parent, `Fit ${i + 1}`, of, [room(1050), 420]);
    residuals(parent, `Residuals ${i + 1}`, of, x, [room(1050), 220]);
  });
}

function many() {
  const which = data.every > 1 ? `Of every ${data.every}th fit: how` : "How";
  const spread = section("Histograms", `${which} many lie in each bin. ${HINT}`);
  const bins = html("div", { class: "sheet" }, spread);
  data.spread.forEach((of, i) => {
    const item = html("div", {}, bins);
    const show = histogram(item, `Histogram ${i + 1}`, { what: "fit", size: [room(520), 260], said: "" });
    show(new Scale(of.name, of.values), [of.values]);
  });
  const few = data.panels.length >= data.count;
  const fits = section(few ? "Each fit" : "The worst fits, and those in the middle", "By reduced chi-squared.");
  samples(fits, data.panels.some((of) => of.line.length));
  const sheet = html("div", { class: "sheet" }, fits);
  data.panels.forEach((of, i) => {
    const item = html("div", {}, sheet);
    html("h3", {}, item, of.title);
    beside(item, `Fit ${i + 1}`, of, [room(520), 300]);
  });
  const parent = html("section", {}, document.getElementById("runs"));
  html("h2", {}, parent, "Every fit");
  const note = html("p", { class: "note" }, parent, data.rows.length < data.count ? `The first ${data.rows.length} of ${data.count}; all are in ` : "As in ");
  html("a", { href: data.files[0] }, note, data.files[0]);
  note.append(".");
  table(parent, "each", data.columns, data.rows);
}

summary();
if (data.count > 1) many();
else one();
