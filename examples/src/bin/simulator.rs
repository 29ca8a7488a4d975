//! Hares and lynxes: a simulation is calibrated to noisy counts, in twenty independent repetitions.
//! `cargo run --release -p warpswarm-examples --bin simulator -- --picture simulator.svg`

use clap::Parser;
use models::predators::{Predators, STEPS, step};
use warpswarm::{Bounds, Data, DeParams, OwnObjective, Settings, Stop, Variable, minimise};
use warpswarm_examples::chart::{Drawn, Look, Panel, Series, panel, picture};
use warpswarm_examples::{Arguments, KERNELS, uniform};

/// The bounds of the rates span two or three orders of magnitude, on a logarithmic scale.
const VARIABLES: [Variable; 6] = [
    Variable::log("birth", 0.1, 10.0),
    Variable::log("hunting", 1e-3, 1.0),
    Variable::log("growth", 1e-3, 1.0),
    Variable::log("death", 0.1, 10.0),
    Variable::linear("hares", 1.0, 100.0),
    Variable::linear("lynxes", 1.0, 100.0),
];
const TRUTH: [f64; 6] = [0.55, 0.028, 0.024, 0.8, 34.0, 6.0];
const YEARS: usize = 21;
/// The standard deviation of the counts, in animals.
const NOISE: f64 = 3.0;

fn main() -> Drawn {
    let options = Arguments::parse().options;
    // Each run is a calibration to its own counts, so the spread of the runs shows the uncertainty of one.
    let runs = if options.small { 3 } else { 20 };
    let truth = trajectory(TRUTH);
    let of_year = |year: usize, kind: usize| truth[year * STEPS][kind];
    let counts = |kind: usize| -> Vec<f64> {
        let place = |i: usize| (i as u64 * 2 + kind as u64, i % YEARS);
        let places = (0..runs as usize * YEARS).map(place);
        places.map(|(draw, year)| (of_year(year, kind) + NOISE * normal(draw)).max(0.0)).collect()
    };
    let counted = [counts(0), counts(1)];
    let mut data = Data::new();
    let hares = data.table_of_runs(&counted[0], runs)?;
    let lynxes = data.table_of_runs(&counted[1], runs)?;
    let objective = OwnObjective::new("Predators", Predators { hares, lynxes });
    let objective = objective.with_data(data).with_kernels(KERNELS);

    let (individuals, iterations) = if options.small { (64, 100) } else { (512, 400) };
    let stop = Stop::iterations(iterations);
    let settings = Settings { individuals, runs, seed: 1, stop, ..Settings::default() };
    let bounds = Bounds::of(&VARIABLES)?;
    let algorithm = DeParams { scale_factor: 0.6, ..DeParams::default() }.into();
    let report = minimise::<f64, _>(&objective, &bounds, &algorithm, &settings)?;

    println!("{runs} calibrations on {}: {:.1} s", report.device, report.seconds);
    println!("{:8}  {:>8}  {:>8}  {:>8}  {:>8}", "", "truth", "first", "mean", "spread");
    for (k, (variable, truth)) in VARIABLES.iter().zip(TRUTH).enumerate() {
        let found: Vec<f64> = report.runs.iter().map(|run| run.best.position[k]).collect();
        let mean = found.iter().sum::<f64>() / runs as f64;
        let square = found.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let spread = (square / (runs - 1) as f64).sqrt();
        println!("{:8}  {truth:8.4}  {:8.4}  {mean:8.4}  {spread:8.4}", variable.name, found[0]);
    }
    let missed = |run: &warpswarm::RunReport<f64>| run.best.value.sqrt();
    let most = report.runs.iter().map(missed).fold(0.0, f64::max);
    println!(
        "missed (root mean square): {:.2} in the first, at most {most:.2}",
        missed(&report.runs[0])
    );

    let Some(file) = options.picture else { return Ok(()) };
    let found: Vec<[f64; 6]> =
        report.runs.iter().map(|run| std::array::from_fn(|k| run.best.position[k])).collect();
    picture(&file, (1000, 400), |area| {
        let (left, right) = area.split_horizontally(500);
        for (kind, place, title) in [(0, left, "hares"), (1, right, "lynxes")] {
            let line = |x: [f64; 6]| -> Vec<(f64, f64)> {
                let states = trajectory(x).into_iter().enumerate().step_by(2);
                states.map(|(i, state)| (i as f64 / STEPS as f64, state[kind])).collect()
            };
            let dots = (0..YEARS).map(|year| (year as f64, counted[kind][year])).collect();
            let series = [
                Series { name: "calibrated", look: Look::Line(2), lines: vec![line(found[0])] },
                Series { name: "truth", look: Look::Dashes(6), lines: vec![line(TRUTH)] },
                Series { name: "counted", look: Look::Rings, lines: vec![dots] },
            ];
            panel(&place, &Panel { title, x: "year", y: "animals", least: None }, &series)?;
        }
        Ok(())
    })
}

/// The numbers of hares and lynxes after each step, for these parameters.
fn trajectory([birth, hunting, growth, death, hares, lynxes]: [f64; 6]) -> Vec<[f64; 2]> {
    let rates = [birth, hunting, growth, death];
    let next = |animals: &[f64; 2]| Some(step(rates, *animals, 1.0 / STEPS as f64));
    std::iter::successors(Some([hares, lynxes]), next).take((YEARS - 1) * STEPS + 1).collect()
}

/// An approximately normal number: the sum of twelve uniform numbers minus its mean.
fn normal(draw: u64) -> f64 {
    (0..12).map(|k| uniform(12 * draw + k)).sum::<f64>() - 6.0
}
