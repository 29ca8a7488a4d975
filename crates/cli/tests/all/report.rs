//! `warpswarm report`: its messages, and its page in a browser.

mod browser;
mod fits;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use browser::Browser;
use serde_json::Value;

use crate::common::run_in;

const INDIVIDUALS: u64 = 24;
/// The positions at which the individuals of the swarm are drawn.
const POINTS: &str =
    "[...document.querySelectorAll('#swarm .mark')].map((m) => m.getAttribute('transform'))";

fn run(arguments: &[&str], folder: &Path) -> Output {
    run_in(folder, arguments)
}

/// A folder of real runs of a two-dimensional problem, with stored populations.
fn solved(within: &Path, name: &str, algorithm: &str) -> PathBuf {
    let individuals = INDIVIDUALS.to_string();
    let arguments =
        ["solve", "rastrigin", "--dim", "2", "--runs", "9", "--iterations", "40", "--algorithm"];
    let wanted = ["--individuals", &individuals, "--backend", "cpu", "--out", name];
    let kept = ["--population-every", "8"];
    let output = run(&[&arguments[..], &[algorithm], &wanted, &kept].concat(), within);
    assert!(output.status.success(), "{output:?}");
    let folder = within.join(name);
    // Text that would end the page's data if it was not escaped.
    let run = fs::read_to_string(folder.join("run.toml")).unwrap();
    fs::write(folder.join("run.toml"), format!("{run}# <b>{name}</b></script>\n")).unwrap();
    folder
}

#[track_caller]
fn fails(arguments: &[&str], folder: &Path, parts: &[&str]) {
    let output = run(&[&["report"], arguments].concat(), folder);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}, {parts:?}: {message}");
    assert_eq!(message.matches("error:").count(), 1, "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
    assert!(!folder.join("report.html").exists(), "{arguments:?}");
}

#[test]
fn what_is_no_run_is_refused_in_words() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let folder = solved(home, "a", "pso");
    fails(&[], home, &["<DIR>"]);
    fails(
        &["none"],
        home,
        &["DIR is none, which does not exist", "allowed: a folder as `warpswarm solve --out DIR`"],
    );
    fails(&["a/trace.csv"], home, &["DIR is a/trace.csv, which is not a folder"]);
    fs::create_dir(home.join("empty")).unwrap();
    fails(&["a", "empty"], home, &["DIR is empty, which has no result.json"]);

    let spoil = |file: &str, from: &str, to: &str, parts: &[&str]| {
        let path = folder.join(file);
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(from), "{file}");
        fs::write(&path, good.replacen(from, to, 1)).unwrap();
        fails(&["a"], home, parts);
        fs::write(&path, good).unwrap();
    };
    spoil(
        "trace.csv",
        "0,3,",
        "0,three,",
        &["trace.csv, line 5, column 2 (iteration) is `three`; allowed: a whole number"],
    );
    spoil("trace.csv", ",best,", ",worst,", &["trace.csv, line 1 has no column `best`"]);
    let trace = fs::read_to_string(folder.join("trace.csv")).unwrap();
    let (row, _) = trace.split_once("\n0,1,").unwrap();
    let shorter = row.rsplit_once(',').unwrap().0;
    spoil("trace.csv", row, shorter, &["trace.csv: line 2 has 7 columns, not the 8"]);
    let parts =
        ["population.csv, line 2, column 2 (iteration) is `first`; allowed: a whole number"];
    spoil("population.csv", "x2\n0,0,", "x2\n0,first,", &parts);
    spoil(
        "result.json",
        "\"runs\"",
        "\"races\"",
        &["result.json cannot be read", "runs", "column"],
    );
    spoil("result.json", "{", "", &["result.json cannot be read", "line 1"]);
    let result = fs::read_to_string(folder.join("result.json")).unwrap();
    let (start, end) =
        (result.find("\"runs\":[").unwrap() + 8, result.rfind("],\"seconds\"").unwrap());
    spoil("result.json", &result[start..end], "", &["result.json has no runs"]);
    let second = result[start..end].find("},{\"best\"").unwrap() + start;
    spoil("result.json", &result[second + 1..end], "", &["rows of 9 runs, but result.json has 1"]);
}

#[test]
fn individuals_of_the_best_run_are_shown_where_they_were_kept() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let folder = solved(home, "a", "pso");
    let result: Value =
        serde_json::from_slice(&fs::read(folder.join("result.json")).unwrap()).unwrap();
    let value = |run: &Value| run["best"]["value"].as_f64().unwrap();
    let runs = result["runs"].as_array().unwrap();
    let best =
        (0..runs.len()).min_by(|a, b| value(&runs[*a]).total_cmp(&value(&runs[*b]))).unwrap();
    let head = "run,iteration,individual,value,violation,x1,x2\n";
    let frames = |runs: &[usize]| -> Value {
        let rows = runs.iter().map(|run| format!("{run},7,0,0,0,{run}.5,1\n"));
        fs::write(folder.join("population.csv"), head.to_string() + &rows.collect::<String>())
            .unwrap();
        assert!(run(&["report", "a", "--force"], home).status.success());
        let page = fs::read_to_string(home.join("report.html")).unwrap();
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        data["groups"][0]["frames"].clone()
    };
    let shown =
        |run: usize| serde_json::json!([{ "iteration": 7, "points": [[run as f64 + 0.5, 1.0]] }]);
    assert_eq!(frames(&[11, best, 12]), shown(best));
    assert_eq!(frames(&[11, 12]), shown(11));
    assert_eq!(frames(&[]), serde_json::json!([]));
}

/// A maximised problem, so that the best run is the one with the largest value.
fn climbed(home: &Path) {
    let hill = "maximise = \"1000 - sum(i, x[i]^4)\"\n[variables]\nx = { count = 3, lower = -9, upper = 9 }\n";
    fs::write(home.join("hill.toml"), hill).unwrap();
    let arguments =
        ["solve", "hill.toml", "--runs", "5", "--iterations", "30", "--individuals", "8"];
    let kept =
        ["--precision", "f64", "--plot", "hill.svg", "--out", "hill", "--quiet", "--no-polish"];
    let output = run(&[&arguments[..], &kept].concat(), home);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_is_maximised_is_shown_so() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    climbed(home);
    let picture = fs::read_to_string(home.join("hill.svg")).unwrap();
    assert!(picture.contains("\nbest value (maximised)\n"), "{picture}");
    // The axis is linear.
    assert!(picture.contains("\n1000\n"), "{picture}");

    assert!(run(&["report", "hill", "--out", "hill.html"], home).status.success());
    let page = fs::read_to_string(home.join("hill.html")).unwrap();
    assert!(page.contains("More is better") && !page.contains("Less is better"));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["more_is_better"], true);
    let finals = data["groups"][0]["finals"].as_array().unwrap();
    let best = finals.iter().map(|x| x.as_f64().unwrap()).fold(f64::NEG_INFINITY, f64::max);
    let column = data["columns"].as_array().unwrap().iter().position(|c| c == "best").unwrap();
    assert_eq!(data["groups"][0]["summary"][column], best);
    let curve = &data["groups"][0]["curves"][0];
    let last = |name: &str| curve[name].as_array().unwrap().last().unwrap().as_f64().unwrap();
    assert!(last("lower") < last("median") && last("median") < last("upper"), "{curve}");
    let median = curve["median"].as_array().unwrap();
    assert!(median.windows(2).all(|two| two[0].as_f64() <= two[1].as_f64()), "{curve}");

    solved(home, "a", "pso");
    let parts = ["DIR is hill, whose problem is maximised, and a, whose problem is minimised"];
    fails(&["a", "hill"], home, &parts);
}

#[test]
fn a_page_is_overwritten_only_by_force() {
    let home = tempfile::tempdir().unwrap();
    solved(home.path(), "a", "de");
    let make =
        |more: &[&str]| run(&[&["report", "a", "--out", "page.html"], more].concat(), home.path());
    let made = make(&[]);
    assert!(made.status.success() && made.stdout == b"written to page.html\n", "{made:?}");
    let again = make(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8(again.stderr).unwrap().contains("--out is page.html, which exists"));
    let first = fs::read(home.path().join("page.html")).unwrap();
    assert!(make(&["--force"]).status.success());
    assert_eq!(first, fs::read(home.path().join("page.html")).unwrap());
}

#[test]
fn a_picture_says_how_many_times_as_fast() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for (name, seconds) in [("slow", "2"), ("fast", "0.125"), ("again", "1.25"), ("no-time", "0")] {
        let folder = solved(home, name, "pso");
        let path = folder.join("result.json");
        let text = fs::read_to_string(&path).unwrap();
        let (before, after) = text.split_once("\"seconds\":").unwrap();
        let (_, after) = after.split_once(',').unwrap();
        fs::write(&path, format!("{before}\"seconds\":{seconds},{after}")).unwrap();
    }
    let output = run(&["report", "slow", "fast", "again", "--plot", "speed-up.svg"], home);
    assert!(output.status.success() && home.join("report.html").is_file(), "{output:?}");
    let picture = fs::read_to_string(home.join("speed-up.svg")).unwrap();
    let title = "Evaluations a second, rastrigin in 2 dimensions";
    for text in ["slow", "fast", "again", "16", "1.6", "times as fast as slow", title] {
        assert!(picture.contains(&format!("\n{text}\n")), "{text}: {picture}");
    }
    fs::remove_file(home.join("report.html")).unwrap();

    climbed(home);
    let more =
        ["solve", "rastrigin", "--dim", "3", "--iterations", "3", "--out", "more", "--quiet"];
    assert!(run(&more, home).status.success());
    let refused = |folders: &[&str], file: &str, parts: &[&str]| {
        fails(&[folders, &["--plot", file]].concat(), home, parts);
        assert!(!home.join(file).exists(), "{file}");
    };
    refused(
        &["slow", "fast"],
        "a.gif",
        &["--plot", "a.gif", "allowed: a file that ends in .svg or .png"],
    );
    refused(&["slow"], "a.svg", &["--plot is a.svg", "allowed: two folders or more"]);
    let parts = [
        "--plot is a.svg",
        "slow, which is of rastrigin in 2 dimensions",
        "more, which is of rastrigin in 3",
    ];
    refused(&["slow", "more"], "a.svg", &parts);
    refused(
        &["slow", "no-time"],
        "a.svg",
        &["DIR is no-time, with", "evaluations in 0 seconds; allowed:"],
    );
}

/// The rectangle of an element, after scrolling to it.
fn place(browser: &mut Browser, selector: &str) -> [f64; 4] {
    let script = format!(
        "(() => {{ const e = document.querySelector('{selector}'); e.scrollIntoView({{ block: 'center' }}); \
         const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; }})()"
    );
    let numbers: Vec<f64> = serde_json::from_value(browser.evaluate(&script)).unwrap();
    numbers.try_into().unwrap()
}

fn count(browser: &mut Browser, selector: &str) -> u64 {
    browser.evaluate(&format!("document.querySelectorAll('{selector}').length")).as_u64().unwrap()
}

fn texts(browser: &mut Browser, selector: &str) -> Vec<String> {
    let script = format!("[...document.querySelectorAll('{selector}')].map((e) => e.textContent)");
    serde_json::from_value(browser.evaluate(&script)).unwrap()
}

#[derive(Debug)]
struct Bar {
    /// The number of runs, read from the height of the bar and the axis.
    runs: u64,
    /// The text that is shown when the pointer is at its middle.
    tip: String,
}

/// The bars of a chart, from left to right.
fn bars(browser: &mut Browser, chart: &str) -> Vec<Bar> {
    let [left, top, width, height] = place(browser, &format!("#{chart} .frame"));
    let numbers = |browser: &mut Browser, what: &str, of: &str| -> Vec<Vec<f64>> {
        let all = format!("[...document.querySelectorAll('#{chart} {what}')].map((e) => {of})");
        serde_json::from_value(browser.evaluate(&all)).unwrap()
    };
    let number = "[Number(e.textContent), Number(e.getAttribute('y'))]";
    let ticks = numbers(browser, "text[text-anchor=end]", number);
    let (first, last) = (&ticks[0], &ticks[ticks.len() - 1]);
    let run = (first[1] - last[1]) / (last[0] - first[0]);
    let size = "[e.getBBox().x, e.getBBox().width, e.getBBox().height]";
    let frame = numbers(browser, ".frame", size).remove(0);
    let bars = numbers(browser, ".bar", size);
    let read = |bar: &Vec<f64>| {
        let part = (bar[0] + 0.5 * bar[1] - frame[0]) / frame[1];
        browser.point([0.0, 0.0]);
        browser.point([left + part * width, top + 0.5 * height]);
        let tip = texts(browser, &format!("#{chart} .tip")).remove(0);
        let runs = bar[2] / run;
        assert!((runs - runs.round()).abs() < 1e-3, "{runs}");
        Bar { runs: runs.round() as u64, tip }
    };
    bars.iter().map(read).collect()
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    solved(home, "swarm", "pso");
    solved(home, "evolution", "de");
    let output = run(&["report", "swarm", "evolution"], home);
    assert!(output.status.success(), "{output:?}");
    browser.open(&format!("file://{}", home.join("report.html").display()));

    // The charts contain the expected marks.
    assert_eq!(
        texts(&mut browser, "h2")[..4],
        ["Convergence", "Final values", "Parameters", "Swarm"]
    );
    assert_eq!(count(&mut browser, "#convergence .line"), 2);
    assert_eq!(count(&mut browser, "#convergence .band"), 2);
    assert_eq!(count(&mut browser, "#final-values .mark"), 18);
    assert_eq!(count(&mut browser, "#parameters .mark"), 18);
    // The histograms contain every run of both folders.
    for chart in ["final-values-in-bins", "parameters-in-bins"] {
        let bars = bars(&mut browser, chart);
        assert!(bars.len() > 2, "{chart}: {bars:?}");
        let counted: u64 = bars.iter().map(|bar| bar.runs).sum();
        assert_eq!(counted, 18, "{chart}: {bars:?}");
    }
    assert_eq!(count(&mut browser, "#swarm .mark"), INDIVIDUALS);
    // The contours behind the swarm fill the frame.
    assert_eq!(count(&mut browser, "#swarm .contour"), 8);
    let [_, _, width, height] = place(&mut browser, "#swarm .contour");
    let [_, _, across, up] = place(&mut browser, "#swarm .frame");
    assert!(width > 0.9 * across && height > 0.9 * up, "{width} x {height} in {across} x {up}");
    let long = "Math.min(...[...document.querySelectorAll('#convergence .line')].map((l) => l.getTotalLength()))";
    assert!(browser.evaluate(long).as_f64().unwrap() > 300.0);
    assert_eq!(texts(&mut browser, "#each tbody tr").len(), 18);
    assert!(texts(&mut browser, "pre")[0].contains("<b>swarm</b></script>"));

    the_slider_moves_the_points(&mut browser);
    let other = "(() => { const s = [...document.querySelectorAll('select')].at(-1); s.value = 1; \
                 s.dispatchEvent(new Event('change')); })()";
    let first = browser.evaluate(POINTS);
    browser.evaluate(other);
    assert_eq!(browser.evaluate(POINTS).as_array().unwrap().len() as u64, INDIVIDUALS);
    assert_ne!(browser.evaluate(POINTS), first);
    charts_can_be_zoomed_and_read(&mut browser);
    assert!(!cells(&mut browser, "each").is_sorted());
    headings_sort(&mut browser, "each");
    let along = "(() => { const s = document.querySelector('select'); s.value = 2; \
                 s.dispatchEvent(new Event('change')); })()";
    browser.evaluate(along);
    assert!(texts(&mut browser, "#convergence text").contains(&"time (s)".to_string()));
    assert_eq!(browser.errors, [""; 0]);
}

#[test]
fn a_page_of_what_is_maximised_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let home = tempfile::tempdir().unwrap();
    climbed(home.path());
    assert!(run(&["report", "hill"], home.path()).status.success());
    browser.open(&format!("file://{}", home.path().join("report.html").display()));
    // The line rises (smaller y in pixels), and a band surrounds it.
    let ends = "(() => { const l = document.querySelector('#convergence .line'); \
                return [l.getPointAtLength(0).y, l.getPointAtLength(l.getTotalLength()).y]; })()";
    let ends: Vec<f64> = serde_json::from_value(browser.evaluate(ends)).unwrap();
    assert!(ends[0] > ends[1] + 20.0, "{ends:?}");
    assert_eq!(count(&mut browser, "#convergence .band"), 1);
    let names = texts(&mut browser, "text");
    assert!(names.contains(&"best value (maximised)".to_string()), "{names:?}");
    let names = texts(&mut browser, "#final-values-in-bins text");
    assert!(names.contains(&"final best value (maximised)".to_string()), "{names:?}");
    assert_eq!(browser.errors, [""; 0]);
}

/// A page of one folder whose `result.json` has these values, each also as the coordinate of its point.
fn page_of(home: &Path, values: &[&str]) -> String {
    let folder = home.join("edge");
    fs::create_dir_all(&folder).unwrap();
    let one = |value: &&str| {
        format!(
            r#"{{"best":{{"value":{value},"violation":0,"position":[{value}]}},"evaluations":9,"iterations":1,"stop_reason":"iterations"}}"#
        )
    };
    let runs: Vec<String> = values.iter().map(one).collect();
    let result = format!(
        r#"{{"problem":"p","dimensions":1,"algorithm":"pso","parameters":{{}},"device":"CPU","precision":"f64","seed":1,"runs":[{}],"seconds":1}}"#,
        runs.join(",")
    );
    fs::write(folder.join("result.json"), result).unwrap();
    let row = |run: usize| format!("{run},1,9,0.5,1,0\n");
    let rows: String = (0..values.len()).map(row).collect();
    let head = "run,iteration,evaluations,seconds,best,violation\n";
    fs::write(folder.join("trace.csv"), head.to_string() + &rows).unwrap();
    let output = run(&["report", "edge", "--force"], home);
    assert!(output.status.success(), "{output:?}");
    format!("file://{}", home.join("report.html").display())
}

#[test]
fn bins_hold_every_value() {
    let Some(mut browser) = Browser::start() else { return };
    let home = tempfile::tempdir().unwrap();
    let inf = "\"Infinity\"";
    // Values, and for each bar its number of runs and its text.
    type Case<'a> = (&'a [&'a str], &'a [(u64, &'a str)]);
    let cases: [Case<'_>; 10] = [
        (
            &["-1.7976931348623157e308", "1e308", "0"],
            &[(1, "-8e307 to -7.2e307"), (1, "0 to 8e306"), (1, "7.2e307 to 8e307")],
        ),
        (&["7.25"], &[(1, "7.25")]),
        (&["7.25"; 4], &[(4, "7.25")]),
        (&["0"; 3], &[(3, "0")]),
        (&["0", "20", "19", "-20", "1"], &[(1, "-20 to -18"), (2, "0 to 2"), (2, "18 to 20")]),
        // Logarithmic bins, with a separate bin for zero.
        (
            &["0", "0", "1", "1e4", "1e20"],
            &[(2, "0"), (1, "1 to 10"), (1, "10000 to 100000"), (1, "1e19 to 1e20")],
        ),
        (
            &["1000", "1000.00001"],
            &[(1, "1000 to 1000.0000005"), (1, "1000.0000095 to 1000.00001")],
        ),
        (&["1000", "1000.0000001"], &[(2, "1000 to 1000.0000001")]),
        (&["2", "\"NaN\"", inf, "\"-Infinity\""], &[(1, "2")]),
        (&["\"NaN\"", inf], &[]),
    ];
    for (values, expected) in cases {
        browser.open(&page_of(home.path(), values));
        let missing = values.iter().filter(|value| value.starts_with('"')).count();
        for (chart, axis) in
            [("final-values-in-bins", "final best value"), ("parameters-in-bins", "x1")]
        {
            let bars = bars(&mut browser, chart);
            let heights: Vec<u64> = bars.iter().map(|bar| bar.runs).collect();
            let said: Vec<String> = bars.iter().map(|bar| bar.tip.clone()).collect();
            let all = values.len();
            let s = if all == 1 { "" } else { "s" };
            let tip =
                |(n, range): &(u64, &str)| format!("{axis}: {range}\nedge: {n} of {all} run{s}");
            assert_eq!(said, expected.iter().map(tip).collect::<Vec<_>>(), "{values:?}");
            assert_eq!(heights, expected.iter().map(|bar| bar.0).collect::<Vec<_>>(), "{values:?}");
            let notes = texts(&mut browser, "#charts .note").join("\n");
            let note = format!("in none: edge {missing} of {all}.");
            assert_eq!(notes.matches(&note).count(), if missing > 0 { 2 } else { 0 }, "{notes}");
            // The labels of the axis are distinct.
            let mut labels = texts(&mut browser, &format!("#{chart} text[text-anchor=middle]"));
            let all = labels.len();
            labels.sort();
            labels.dedup();
            assert!(labels.len() == all && all > 3, "{values:?}: {labels:?}");
        }
        assert_eq!(browser.errors, [""; 0], "{values:?}");
    }
}

#[test]
fn the_page_of_a_comparison_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let what = ["--problems", "sphere:dim=2,spring", "--algorithms", "pso,de,sa:name=</script>"];
    let small = ["--runs", "5", "--evaluations", "3000", "--target", "10,1e-2", "--quiet"];
    let output = run(&[&["compare"], &what[..], &small, &["--report", "a.html"]].concat(), home);
    assert!(output.status.success(), "{output:?}");
    browser.open(&format!("file://{}", home.join("a.html").display()));

    assert_eq!(
        texts(&mut browser, "h2")[..3],
        ["Performance profiles", "Final values", "sphere:dim=2, 2 dimensions, target 1e-2"]
    );
    assert_eq!(texts(&mut browser, "#overall tbody tr").len(), 3);
    assert_eq!(count(&mut browser, "#performance-profiles .line"), 3);
    assert!(count(&mut browser, "#performance-profiles .mark") >= 8);
    assert_eq!(count(&mut browser, "#final-values .mark"), 15);
    let counted: u64 = bars(&mut browser, "final-values-in-bins").iter().map(|bar| bar.runs).sum();
    assert_eq!(counted, 15);
    browser.evaluate(
        "(() => { const s = document.querySelector('select'); s.value = 1; \
         s.dispatchEvent(new Event('change')); })()",
    );
    assert!(count(&mut browser, "#final-values .mark") >= 5);
    headings_sort(&mut browser, "problem-0");
    assert_eq!(browser.errors, [""; 0]);
}

fn the_slider_moves_the_points(browser: &mut Browser) {
    let before = browser.evaluate(POINTS);
    assert_eq!(texts(browser, "output"), ["iteration 0"]);
    browser.evaluate("document.querySelector('#iteration').focus()");
    browser.press("ArrowRight", 39);
    let after = browser.evaluate(POINTS);
    assert_eq!(texts(browser, "output"), ["iteration 8"]);
    let moved = |(a, b): &(&Value, &Value)| a != b;
    let pairs = before.as_array().unwrap().iter().zip(after.as_array().unwrap());
    assert!(pairs.filter(moved).count() as u64 > INDIVIDUALS / 2);
    browser.press("End", 35);
    assert_eq!(texts(browser, "output"), ["iteration 40"]);
}

fn charts_can_be_zoomed_and_read(browser: &mut Browser) {
    let labels = texts(browser, "#convergence text");
    let [left, top, width, height] = place(browser, "#convergence .cover");
    browser
        .drag([left + 0.2 * width, top + 0.2 * height], [left + 0.4 * width, top + 0.6 * height]);
    assert_ne!(texts(browser, "#convergence text"), labels);
    assert_eq!(browser.evaluate("document.querySelector('#convergence button').hidden"), false);
    browser.evaluate("document.querySelector('#convergence button').click()");
    assert_eq!(texts(browser, "#convergence text"), labels);
    browser.point([left + 0.5 * width, top + 0.5 * height]);
    let tip = &texts(browser, "#convergence .tip")[0];
    assert!(
        tip.starts_with("iterations: 2")
            && tip.contains("\nswarm: ")
            && tip.contains("\nevolution: "),
        "{tip}"
    );
}

/// The numbers in the third column.
fn cells(browser: &mut Browser, table: &str) -> Vec<f64> {
    let of = format!("document.querySelectorAll('#{table} tbody td:nth-child(3)')");
    let script = format!("[...{of}].map((c) => Number(c.title))");
    serde_json::from_value(browser.evaluate(&script)).unwrap()
}

fn headings_sort(browser: &mut Browser, table: &str) {
    let click = format!("document.querySelector('#{table} th:nth-child(3) button').click()");
    browser.evaluate(&click);
    assert!(cells(browser, table).is_sorted());
    assert!(cells(browser, table).first() < cells(browser, table).last());
    browser.evaluate(&click);
    assert!(cells(browser, table).iter().rev().is_sorted());
}
