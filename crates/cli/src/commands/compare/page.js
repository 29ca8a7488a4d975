// The page of a comparison. `charts.js` goes before it.

function profiles() {
  if (!data.targets) return;
  const note = `The share of the ${data.targets} targets that each reaches within so many times the least expected running time, in evaluations.`;
  const parent = section("Performance profiles", note);
  legend(parent);
  const chart = new Chart(parent, "Performance profiles", [1050, 440]);
  // At least so far that the axis is logarithmic.
  const x = new Scale("times the least expected running time", [1, 4, ...groups.flatMap((group) => group.steps)]);
  const y = new Scale("share of the targets (%)", [0, 100]);
  Object.assign(y, { isLog: false, zero: null, whole: [-3, 104] });
  const share = (reached) => (100 * reached) / data.targets;
  const points = groups.map(({ name, steps }) => steps.map((times, i) => (
    { at: [x.place(times), share(i + 1)], text: `${name}: ${short(share(i + 1))} % within ${short(times)} times` })));
  const draw = () => points.forEach((all, i) => {
    const first = all.filter(({ at }) => at[0] === 0).length;
    const corners = all.slice(first).flatMap(({ at }, j) => [[at[0], share(first + j)], at]);
    chart.line([[0, share(first)], ...corners, [x.whole[1], share(all.length)]], i);
    if (all.length <= 200) all.forEach(({ at }) => chart.mark(at, i));
  });
  chart.show(x, y, draw, (_, at, up) => chart.nearest(points.flat(), at, up));
}

function finalValues() {
  const parent = section("Final values", "How many of the runs end at a value or below it. Runs stop at their last target.");
  const controls = html("div", { class: "controls" }, parent);
  legend(parent);
  const chart = new Chart(parent, "Final values", [1050, 380]);
  const bars = histogram(parent, "Final values in bins");
  const show = (number) => {
    const problem = data.problems[number];
    const name = `final ${problem.measure}`;
    shares(chart, name, problem.finals, problem.more_is_better);
    bars(new Scale(name, problem.finals.flat()), problem.finals);
  };
  choice(controls, "problem", data.problems.map((problem) => problem.name), show);
  html("span", { class: "hint" }, controls, "Drag to zoom, double-click to show all, point at a mark to read it.");
  show(0);
}

function problems() {
  const parent = html("section", {}, document.getElementById("runs"));
  data.problems.forEach((problem, i) => {
    html("h2", {}, parent, problem.title);
    table(parent, `problem-${i}`, data.columns, problem.rows);
  });
  html("p", { class: "note" }, parent, data.notes);
  texts(parent, "What was compared", groups.map((group) => [group.name, group.asked]));
}

if (data.overall.length) table(document.getElementById("summary"), "overall", data.overall_columns, data.overall);
profiles();
finalValues();
problems();
