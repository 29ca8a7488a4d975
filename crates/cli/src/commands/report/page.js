// The page of runs. `charts.js` goes before it.
function convergence() {
  const several = groups.some((group) => group.finals.length > 1);
  const note = several ? "Line: median of the runs; band: from the lower to the upper quartile." : "";
  const parent = section("Convergence", note + (data.missing ? ` ${data.missing}` : ""));
  const controls = html("div", { class: "controls" }, parent);
  legend(parent);
  const edge = html("p", { class: "note" }, parent);
  const chart = new Chart(parent, "Convergence", [1050, 440]);
  const show = (along) => {
    const curves = groups.map((group) => group.curves[along]);
    const x = new Scale(data.along[along], []);
    const ends = curves.flatMap((c) => c.x);
    x.whole = new Scale("", []).whole;
    if (ends.length) {
      const low = Math.min(...ends), high = Math.max(...ends);
      x.whole = [low, high > low ? high : low + 1];
    }
    const numbers = curves.flatMap((c) => [...c.lower, ...c.median, ...c.upper]);
    const more = data.more_is_better;
    let y = new Scale(data.measure, numbers, more);
    // Where the first values would leave no room for the others, they lie at the worse edge.
    const limit = y.isLog ? null : data.limits[along];
    const limited = (v) => (known(v) && limit !== null ? (more ? Math.max : Math.min)(v, limit) : v);
    if (limit !== null) y = new Scale(data.measure, numbers.map(limited), more);
    const [beyond, side] = more ? ["below", "lower"] : ["above", "upper"];
    edge.textContent = limit === null ? "" : `What is ${beyond} ${short(limit)} lies at the ${side} edge.`;
    const draw = () => curves.forEach((curve, i) => {
      const at = (numbers) => curve.x.map((x, j) => [x, y.place(limited(numbers[j]))]).filter(([, place]) => place !== null);
      if (groups[i].finals.length > 1) {
        // Where too few runs have a value for the worse quartile, the band goes on to the edge.
        const [good, bad, end] = more ? [curve.upper, curve.lower, y.whole[0]] : [curve.lower, curve.upper, y.whole[1]];
        const there = at(good), from = curve.x.length - there.length;
        const back = curve.x.slice(from).map((x, j) => [x, y.place(limited(bad[from + j])) ?? end]);
        const d = there.length ? `${chart.path([...there, ...back.reverse()])}Z` : "";
        svg("path", { class: "band", d, fill: colour(i) }, chart.marks);
      }
      const median = at(curve.median);
      if (median.length === 1) chart.mark(median[0], i);
      chart.line(median, i);
    });
    const point = (_, at) => {
      let nearest = null;
      for (const x of ends) if (nearest === null || Math.abs(x - at) < Math.abs(nearest - at)) nearest = x;
      if (nearest === null) return null;
      const lines = curves.map((curve, i) => {
        const place = curve.x.findLastIndex((x) => x <= nearest);
        if (place < 0) return `${groups[i].name}: –`;
        const range = groups[i].finals.length > 1 ? ` (${short(curve.lower[place])} to ${short(curve.upper[place])})` : "";
        return `${groups[i].name}: ${short(curve.median[place])}${range}`;
      });
      return { at: [nearest, null], text: [`${data.along[along]}: ${short(nearest)}`, ...lines].join("\n") };
    };
    chart.show(x, y, draw, point);
  };
  choice(controls, "along", data.along, show);
  html("span", { class: "hint" }, controls, "Drag to zoom, double-click to show all, point at a place to read it.");
  show(0);
}

function distribution() {
  const parent = section("Final values", "How many of the runs end at a value or below it.");
  legend(parent);
  const chart = new Chart(parent, "Final values", [1050, 380]);
  const finals = groups.map((group) => group.finals), name = `final ${data.measure}`;
  shares(chart, name, finals, data.more_is_better);
  histogram(parent, "Final values in bins")(new Scale(name, finals.flat()), finals);
}

function parameters() {
  const names = groups.reduce((longest, group) => (group.parameters.length > longest.length ? group.parameters : longest), []);
  if (!names.length) return;
  const parent = section("Parameters", "The best point of each run; the upright line is the median.");
  const controls = html("div", { class: "controls" }, parent);
  const height = Math.min(90 + 56 * groups.length, 600);
  const chart = new Chart(parent, "Parameters", [1050, height]);
  const bars = histogram(parent, "Parameters in bins");
  const show = (coordinate) => {
    const of = (group) => group.positions.map((position) => position[coordinate]).filter(known);
    const x = new Scale(names[coordinate], groups.flatMap(of));
    const y = new Scale("", []);
    y.labels = groups.map((group, i) => [-i, group.name]);
    y.whole = [0.5 - groups.length, 0.5];
    // Multiples of the golden ratio keep neighbours apart.
    const apart = (i) => 0.5 * (((i + 1) * 0.618034) % 1) - 0.25;
    const points = groups.map((group, number) => of(group).map((value, i) => (
      { at: [x.place(value), -number + apart(i)], text: `${group.name}\n${names[coordinate]} = ${value}` })));
    const draw = () => points.forEach((all, i) => {
      all.slice(0, 2000).forEach(({ at }) => chart.mark(at, i).setAttribute("fill-opacity", 0.6));
      const sorted = all.map(({ at }) => at[0]).sort((a, b) => a - b);
      if (!sorted.length) return;
      const median = sorted[Math.floor(sorted.length / 2)];
      const at = chart.px(median);
      svg("line", { x1: at, x2: at, y1: chart.py(-i - 0.38), y2: chart.py(-i + 0.38), stroke: "#282828", "stroke-width": 3 }, chart.marks);
    });
    chart.show(x, y, draw, (_, at, up) => chart.nearest(points.flat(), at, up));
    bars(x, groups.map((group) => group.positions.map((position) => position[coordinate])));
  };
  choice(controls, "coordinate", names, show);
  show(0);
}

function swarm() {
  const moving = groups.filter((group) => group.frames.length);
  if (!moving.length) return;
  const parent = section("Swarm", "The individuals of the best run that was kept.");
  const controls = html("div", { class: "controls" }, parent);
  const play = html("button", { type: "button" }, controls, "Play");
  const slider = html("input", { type: "range", id: "iteration", min: 0, value: 0, "aria-label": "iteration" }, controls);
  const shown = html("output", { for: "iteration" }, controls);
  const tones = html("p", { class: "note" }, parent);
  const chart = new Chart(parent, "Swarm", [760, 640]);
  let group = moving[0];
  const draw = () => {
    const frame = group.frames[Number(slider.value)];
    shown.textContent = `iteration ${frame.iteration}`;
    if (group.contours) {
      const { lower, upper, side, regions } = group.contours;
      const [left, bottom] = [chart.px(lower[0]), chart.py(lower[1])];
      const [across, up] = [(chart.px(upper[0]) - left) / side, (chart.py(upper[1]) - bottom) / side];
      const under = svg("g", { transform: `matrix(${across} 0 0 ${up} ${left} ${bottom})` }, chart.marks);
      for (const { fill, opacity, path } of regions) svg("path", { class: "contour", d: path, fill, "fill-opacity": opacity }, under);
    }
    for (const point of frame.points) chart.mark(point, 0, 3).setAttribute("fill-opacity", 0.8);
  };
  const point = (_, x, y) => {
    const points = group.frames[Number(slider.value)].points;
    return chart.nearest(points.map((at) => ({ at, text: `${at[0]}, ${at[1]}` })), x, y);
  };
  const show = (number) => {
    group = moving[number];
    tones.textContent = group.contours ? `Behind them the objective: ${group.contours.note}.` : "";
    slider.max = group.frames.length - 1;
    slider.value = 0;
    const along = (a) => {
      const scale = new Scale(group.parameters[a] || `x${a + 1}`, []);
      const values = group.frames.flatMap((frame) => frame.points.map((p) => p[a]));
      let low = Infinity, high = -Infinity;
      for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
      const more = 0.03 * (high - low) || 1;
      scale.whole = [low - more, high + more];
      return scale;
    };
    chart.show(along(0), along(1), draw, point);
  };
  slider.addEventListener("input", () => chart.draw());
  let timer = null;
  play.addEventListener("click", () => {
    const stop = () => { clearInterval(timer); timer = null; play.textContent = "Play"; };
    if (timer) return stop();
    if (slider.value === slider.max) slider.value = 0;
    play.textContent = "Stop";
    timer = setInterval(() => {
      if (slider.value === slider.max) return stop();
      slider.value = Number(slider.value) + 1;
      chart.draw();
    }, 150);
  });
  if (moving.length > 1) choice(controls, "of", moving.map((g) => g.name), show);
  show(0);
}

function whatWasRun() {
  const parent = html("section", {}, document.getElementById("runs"));
  html("h2", {}, parent, "Every run");
  if (groups.some((group) => group.rows.length < group.finals.length)) {
    html("p", { class: "note" }, parent, `The first ${data.most_rows} of each folder; charts of final values show all.`);
  }
  table(parent, "each", ["folder", ...data.run_columns], groups.flatMap((group) => group.rows.map((row) => [group.name, ...row])));
  texts(parent, "What was run", groups.map((group) => [group.name, group.asked]));
}

table(document.getElementById("summary"), "folders", ["folder", ...data.columns], groups.map((group) => [group.name, ...group.summary]));
convergence();
distribution();
parameters();
swarm();
whatWasRun();
