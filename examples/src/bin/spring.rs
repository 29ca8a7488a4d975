//! A spring of minimal mass; shows in each iteration which constraints are active.
//! `cargo run --release -p warpswarm-examples --bin spring -- --picture spring.svg`

use clap::Parser;
use warpswarm::{DeParams, Settings, problems};
use warpswarm_examples::Arguments;
use warpswarm_examples::chart::{Drawn, Look, Panel, Series, panel, picture};

fn main() -> Drawn {
    let options = Arguments::parse().options;
    let spring = problems::find("spring")?;
    let dimensions = spring.dimensions.least;
    let known = spring.optimum_value(dimensions).ok_or("no optimum is known")?;
    let iterations = if options.small { 60 } else { 300 };
    let settings = Settings { individuals: 64, seed: 1, ..Settings::default() };
    let bounds = spring.bounds(dimensions)?;
    let algorithm = DeParams::default().into();
    let mut optimiser = spring.optimiser::<f64>(0.0, &bounds, &algorithm, &settings)?;

    let mut constraints = vec![Vec::new(); spring.constraints.len()];
    let mut above = Vec::new();
    println!("iteration       mass  {:>10}{:>12}{:>12}{:>12}", "g1", "g2", "g3", "g4");
    for iteration in 0..=iterations {
        // Evaluate the global best, to obtain its constraints.
        let swarm = &optimiser.state()?[0];
        let fitness = swarm.best.iter().enumerate();
        let (best, _) = fitness.min_by_key(|(_, f)| f.ordered()).ok_or("no individuals")?;
        let position = &swarm.best_positions[best * swarm.stride..][..dimensions];
        let found = spring.evaluate(position)?;
        let time = f64::from(iteration);
        for (line, &value) in constraints.iter_mut().zip(&found.constraints) {
            line.push((time, value));
        }
        if found.fitness.violation == 0.0 {
            above.push((time, found.fitness.value / known - 1.0));
        }
        if iteration % (iterations / 6) == 0 {
            let values: String = found.constraints.iter().map(|g| format!("{g:12.2e}")).collect();
            println!("{iteration:9}  {:.7}{values}", found.fitness.value);
        }
        optimiser.step(1)?;
    }
    println!(
        "best known {known:.7}; a constraint of 0 holds the spring back, a negative one does not"
    );
    let Some(file) = options.picture else { return Ok(()) };
    picture(&file, (1000, 380), |area| {
        let (left, right) = area.split_horizontally(500);
        let looks = [Look::Line(2), Look::Dashes(6), Look::Line(1), Look::Dashes(2)];
        let series = spring.constraints.iter().zip(looks).zip(constraints);
        let series: Vec<_> = series
            .map(|((g, look), line)| Series { name: g.name, look, lines: vec![line] })
            .collect();
        let texts =
            Panel { title: "constraints of the best", x: "iterations", y: "value", least: None };
        panel(&left, &texts, &series)?;
        let texts = Panel {
            title: "mass above the best known",
            x: "iterations",
            y: "relative",
            least: Some(1e-12),
        };
        panel(&right, &texts, &[Series { name: "", look: Look::Line(2), lines: vec![above] }])
    })
}
