//! Clusters of atoms with minimal energy, found by many short local searches. Each starts from the best cluster so far,
//! with its most weakly bound atoms moved.
//! `cargo run --release -p warpswarm-examples --bin lennard-jones -- --picture lennard-jones.svg`

use std::error::Error;

use clap::Parser;
use warpswarm::{Bounds, Settings, SolisWetsParams, Stop, problems};
use warpswarm_examples::chart::{
    Area, BLACK, Circle, Color, Drawn, RGBColor, ShapeStyle, picture, titled,
};
use warpswarm_examples::{Arguments, uniform};

/// The computational effort for a cluster.
#[derive(Clone, Copy)]
struct Effort {
    atoms: usize,
    /// Number of independent searches.
    seeds: usize,
    /// Number of times that the weakest atoms are moved.
    rounds: u64,
    /// Iterations per round.
    iterations: u64,
}

/// Parallel local searches of each search.
const DESCENTS: usize = 16;
/// Half the side length of the box.
const REACH: f64 = 2.5;

/// A cluster, `[atom][x, y, z]`, and its energy.
#[derive(Clone)]
struct Cluster {
    energy: f64,
    atoms: Vec<f64>,
}

fn main() -> Drawn {
    let options = Arguments::parse().options;
    let efforts = if options.small {
        [(13, 2, 2, 500), (38, 1, 1, 50)]
    } else {
        [(13, 20, 40, 2500), (38, 2, 20, 2500)]
    };
    println!("atoms  searches  successful  best found   median  best known  seconds");
    let mut best = Vec::new();
    for (atoms, seeds, rounds, iterations) in efforts {
        let known = problems::find("lennard-jones")?.optimum_value(3 * atoms).unwrap_or(f64::NAN);
        let start = std::time::Instant::now();
        let mut found = search(Effort { atoms, seeds, rounds, iterations })?;
        found.sort_by(|a, b| a.energy.total_cmp(&b.energy));
        let successful = found.iter().filter(|cluster| cluster.energy < known + 1e-4).count();
        println!(
            "{atoms:5}  {seeds:8}  {successful:10}  {:10.6}  {:10.6}  {known:10.6}  {:7.1}",
            found[0].energy,
            found[seeds / 2].energy,
            start.elapsed().as_secs_f64()
        );
        best.push(found.swap_remove(0));
    }
    let Some(file) = options.picture else { return Ok(()) };
    picture(&file, (800, 440), |area| {
        let (left, right) = area.split_horizontally(400);
        for (place, cluster) in [left, right].iter().zip(&best) {
            let title = format!("{} atoms, energy {:.4}", cluster.atoms.len() / 3, cluster.energy);
            draw(&titled(place, &title)?, cluster)?;
        }
        Ok(())
    })
}

/// The best cluster of each search.
fn search(effort: Effort) -> Result<Vec<Cluster>, Box<dyn Error>> {
    let problem = problems::find("lennard-jones")?;
    let anywhere = Bounds::uniform(3 * effort.atoms, -REACH, REACH)?;
    let none = Cluster { energy: f64::INFINITY, atoms: Vec::new() };
    let mut best = vec![none; effort.seeds];
    for round in 0..=effort.rounds {
        // The first local searches start anywhere; the last ones start at the best cluster, with small steps.
        let (step, bounds) = match round {
            0 => (0.05, anywhere.clone()),
            _ => {
                let is_last = round == effort.rounds;
                let variant = |(seed, cluster): (usize, &Cluster)| {
                    let draw = (round * 1000 + seed as u64) * 1000;
                    let others = (0..DESCENTS as u64).map(|d| {
                        moved(cluster, draw + d * 20, if is_last { 0 } else { 1 + d % 5 })
                    });
                    anywhere.clone().beginning_at(&others.collect::<Vec<_>>())
                };
                let each = best.iter().enumerate().map(variant).collect::<Result<Vec<_>, _>>()?;
                (if is_last { 1e-3 } else { 0.02 }, Bounds::of_runs(each)?)
            }
        };
        let algorithm = SolisWetsParams { step, ..SolisWetsParams::default() }.into();
        let settings = Settings {
            individuals: DESCENTS as u64,
            runs: effort.seeds as u64,
            seed: round,
            stop: Stop::iterations(effort.iterations),
            polish: Some(false),
            ..Settings::default()
        };
        let report = problem.optimiser::<f64>(0.0, &bounds, &algorithm, &settings)?.run()?;
        for (best, run) in best.iter_mut().zip(report.runs) {
            if run.best.value < best.energy {
                *best = Cluster { energy: run.best.value, atoms: run.best.position };
            }
        }
    }
    Ok(best)
}

/// The cluster with `weakest` of its most weakly bound atoms moved to other places on its surface.
fn moved(cluster: &Cluster, draw: u64, weakest: u64) -> Vec<f64> {
    let count = cluster.atoms.len() / 3;
    let mut atoms = cluster.atoms.clone();
    for number in 0..weakest {
        let of = |i: usize| [0, 1, 2].map(|k| atoms[3 * i + k]);
        let square = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        let pair = |i: usize, j: usize| {
            let sixth = square(of(i), of(j)).max(0.5).powi(-3);
            sixth * sixth - sixth
        };
        let energy = |i: usize| (0..count).filter(|&j| j != i).map(|j| pair(i, j)).sum::<f64>();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&i, &j| energy(j).total_cmp(&energy(i)));
        let middle = [0, 1, 2].map(|k| (0..count).map(|i| of(i)[k]).sum::<f64>() / count as f64);
        // The distance from the centre: that of the median atom in this order, plus 0.3.
        let radius = 0.3 + square(of(order[count / 2]), middle).sqrt();
        let direction = [0, 1, 2].map(|k| uniform(3 * (draw + number) + k) - 0.5);
        let length = square(direction, [0.0; 3]).sqrt().max(1e-3);
        for k in 0..3 {
            let place = middle[k] + radius * direction[k] / length;
            atoms[3 * order[0] + k] = place.clamp(-REACH, REACH);
        }
    }
    atoms
}

/// Draws atoms as balls; those in front are drawn last and brighter.
fn draw(area: &Area<'_>, cluster: &Cluster) -> Drawn {
    const PIXELS: f64 = 75.0;
    let mut atoms: Vec<&[f64]> = cluster.atoms.chunks(3).collect();
    let count = atoms.len() as f64;
    let middle = [0, 1, 2].map(|k| atoms.iter().map(|atom| atom[k]).sum::<f64>() / count);
    atoms.sort_by(|a, b| a[2].total_cmp(&b[2]));
    for (number, atom) in atoms.iter().enumerate() {
        let at = |k: usize| 200 + (PIXELS * (atom[k] - middle[k])) as i32;
        let near = number as f64 / count;
        let shade = |far: f64, close: f64| (far + near * (close - far)) as u8;
        let colour = RGBColor(shade(0.0, 190.0), shade(60.0, 225.0), shade(100.0, 245.0));
        let ball = |style: ShapeStyle| Circle::new((at(0), at(1)), (0.5 * PIXELS) as i32, style);
        area.draw(&ball(colour.filled()))?;
        area.draw(&ball(BLACK.stroke_width(1)))?;
    }
    Ok(())
}
