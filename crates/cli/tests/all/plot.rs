//! `warpswarm solve --plot`: what it draws, and what it refuses before the run starts.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::run_in;

fn solve(arguments: &[&str], folder: &Path) -> Output {
    run_in(folder, &[&["solve"], arguments].concat())
}

#[track_caller]
fn is_refused(arguments: &[&str], parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    // A run that would never end within a test.
    let endless = ["--iterations", "1000000000", "--backend", "cpu"];
    let output = solve(&[arguments, &endless].concat(), folder.path());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
}

#[test]
fn what_cannot_be_drawn_is_refused_before_the_work() {
    is_refused(
        &["sphere", "--plot", "a.pdf"],
        &["--plot", "'a.pdf'", "allowed: ", ".svg, .png", ".gif"],
    );
    is_refused(&["sphere", "--plot", "parameters.gif"], &["parameters.svg or parameters.png"]);
    is_refused(
        &["sphere", "--plot", "swarm.gif"],
        &["--plot is swarm.gif", "sphere has 30 dimensions", "allowed: 2"],
    );
    let both = ["sphere", "--plot", "convergence.svg", "--plot", "constraints.svg"];
    is_refused(&both, &["--plot is constraints.svg", "sphere has no constraints", "spring"]);
    is_refused(
        &["sphere", "--plot", "fit.svg"],
        &["--plot is fit.svg", "no model over data", "[ode]"],
    );
    is_refused(&["sphere", "--plot", "none/a.svg"], &["--plot is none/a.svg", "cannot be written"]);
}

#[test]
fn a_name_may_begin_with_anything_and_the_output_says_what_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let few = ["--individuals", "8", "--iterations", "2", "--backend", "cpu"];
    let plots = ["--plot", "run1-population.svg", "--plot", "mine.svg"];
    let drawn = |more: &[&str]| {
        let all = [&["sphere", "--dim", "2"][..], &few, &plots, more].concat();
        let output = solve(&all, folder.path());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = drawn(&[]);
    let end = "\nwrote run1-population.svg: the last population\n\
               wrote mine.svg: the best value over the iterations\n";
    assert!(text.ends_with(end), "{text}");
    let svg = fs::read_to_string(folder.path().join("run1-population.svg")).unwrap();
    assert!(svg.contains("<circle"));
    // If the standard output is reserved for JSON, this line is not printed.
    assert!(!drawn(&["--json", "-"]).contains("wrote"));
    assert_eq!(drawn(&["--quiet"]), "");
}

/// The title names all methods of the islands and the number of islands.
#[test]
fn a_title_names_what_lives_on_islands() {
    let folder = tempfile::tempdir().unwrap();
    let islands = ["--islands", "ring", "--island-count", "4", "--island-set", "pso,de"];
    let few = ["--individuals", "8", "--iterations", "3", "--migrate-every", "1", "--quiet"];
    let asked = [&["sphere", "--dim", "2", "--plot", "a.svg"][..], &islands, &few].concat();
    let output = solve(&asked, folder.path());
    assert!(output.status.success(), "{output:?}");
    let svg = fs::read_to_string(folder.path().join("a.svg")).unwrap();
    let title = "\nsphere, 2 dimensions: 4 islands of pso, de, 8 individuals, seed 0\n";
    assert!(svg.contains(title), "{svg}");
}

/// The states of a differential equation are lines, and the columns of data are marks.
#[test]
fn a_model_is_drawn_beside_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let lynx = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/problems/lynx.toml");
    let few = ["--individuals", "4", "--iterations", "1", "--backend", "cpu", "--quiet"];
    let asked = [&["solve", lynx, "--plot", "fit.svg"][..], &few].concat();
    let output = run_in(folder.path(), &asked);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let svg = fs::read_to_string(folder.path().join("fit.svg")).unwrap();
    for text in ["hares", "lynxes", "hare", "lynx", "year"] {
        assert!(svg.contains(&format!("\n{text}\n")), "{text}");
    }
    // Including one mark in the legend.
    assert_eq!(svg.matches("<circle").count(), 21 + 1);
}

#[test]
fn each_kind_is_drawn_in_each_format() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |problem: &[&str], files: &[&str]| {
        let plots: Vec<&str> = files.iter().flat_map(|file| ["--plot", file]).collect();
        let small = ["--individuals", "16", "--iterations", "12", "--quiet", "--backend", "cpu"];
        let output = solve(&[problem, &small, &plots[..]].concat(), folder.path());
        assert!(
            output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
            "{output:?}"
        );
        files.iter().map(|file| fs::read(folder.path().join(file)).unwrap()).collect::<Vec<_>>()
    };
    let files = [
        "convergence.svg",
        "convergence-evaluations.svg",
        "convergence-seconds.svg",
        "mine.svg",
        "distribution.svg",
    ];
    let texts: Vec<String> = draw(&["rastrigin", "--runs", "5"], &files)
        .into_iter()
        .map(|svg| String::from_utf8(svg).unwrap())
        .collect();
    for (text, axis) in texts.iter().zip([
        "iterations",
        "evaluations per run",
        "time (s)",
        "iterations",
        "final best value",
    ]) {
        assert!(text.contains(&format!("\n{axis}\n")), "{axis}");
        assert!(text.contains("rastrigin, 30 dimensions: pso, 16 individuals, seed 0"));
    }
    assert_eq!(texts[0], texts[3]);
    // 12 iterations, and the initial individuals.
    assert!(
        texts[1].contains("\n200\n")
            && texts[0].contains("\n12\n")
            && texts[0].contains("median of 5 runs")
    );
    let svgs = draw(&["spring", "--runs", "5"], &["parameters.svg", "constraints.svg"]);
    for name in ["g1", "g4"] {
        assert!(String::from_utf8_lossy(&svgs[1]).contains(&format!("\n{name}\n")));
    }
    assert!(String::from_utf8_lossy(&svgs[0]).contains("the best points of 5 runs"));
    let drawn = draw(
        &["rastrigin", "--dim", "2", "--runs", "3"],
        &["population.svg", "swarm.gif", "swarm.png", "swarm.svg"],
    );
    let population = String::from_utf8_lossy(&drawn[0]);
    // 16 individuals, and one mark in the legend.
    assert_eq!(population.matches("<circle").count(), 17);
    assert!(population.contains("\niteration 12\n") && population.contains("16 individuals"));
    assert!(drawn[1].starts_with(b"GIF89a") && drawn[2].starts_with(b"\x89PNG"));
    for iteration in [0, 2, 4, 8, 12] {
        assert!(
            String::from_utf8_lossy(&drawn[3]).contains(&format!("\niteration {iteration}\n")),
            "{iteration}"
        );
    }
    let again = draw(&["rastrigin", "--dim", "2", "--runs", "3"], &["population.svg"]);
    assert_eq!(again[0], drawn[0]);
    let evolved = draw(&["sphere", "--dim", "2", "--algorithm", "de"], &["population.svg"]);
    assert_eq!(String::from_utf8_lossy(&evolved[0]).matches("<circle").count(), 17);
}

/// Individuals move on the logarithmic scale of a variable, but are drawn at its values. Otherwise they would be far
/// below these bounds.
#[test]
fn individuals_are_drawn_as_they_are_meant() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        minimise = "(a - 2)^2 + (ln(t) - 6.5)^2"
        [variables]
        a = { lower = 0, upper = 10 }
        t = { lower = 400, upper = 1000, scale = "log" }
    "#;
    fs::write(folder.path().join("two.toml"), text).unwrap();
    let small = ["--individuals", "16", "--iterations", "12", "--quiet", "--backend", "cpu"];
    let output =
        solve(&[&["two.toml", "--plot", "population.svg"], &small[..]].concat(), folder.path());
    assert!(output.status.success(), "{output:?}");
    let population = fs::read_to_string(folder.path().join("population.svg")).unwrap();
    // 16 individuals, and one mark in the legend.
    assert_eq!(population.matches("<circle").count(), 17);
}
