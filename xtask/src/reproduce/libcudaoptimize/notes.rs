//! The notes below the tables: conclusions from our numbers, compared with those of the paper.

use super::methods::Method;
use super::paper;
use super::results::Results;
use super::runs::{Point, Timed};
use crate::reproduce::table::{integer, number};

pub(crate) fn of_figure_4(results: &Results) -> Vec<String> {
    faster(&results.generations).into_iter().collect()
}

pub(crate) fn of_figure_5(results: &Results) -> Vec<String> {
    let mut notes: Vec<String> = faster(&results.particles).into_iter().collect();
    if results.has_gpu() {
        notes.push(format!(
            "CPU + GPU {}; the paper's overtakes it at about {}.",
            overtaking(&results.particles),
            paper::OVERTAKEN_AT
        ));
    }
    notes
}

pub(crate) fn of_both(results: &Results) -> Vec<String> {
    let mut places = Vec::new();
    for timed in &results.particles[0].timed {
        if !places.contains(&timed.place) {
            places.push(timed.place.clone());
        }
    }
    let mut notes = vec![
        paper::CLAIMS.to_string(),
        format!(
            "Ours, in the order of the columns: {}; {}. The paper's: {}. In f32; set-up (driver, memory, kernels, \
             first placement) is excluded, of which the paper says nothing.",
            places.join(", "),
            results.processor,
            paper::MACHINE
        ),
    ];
    if results.has_gpu() {
        notes.push(
            "CPU + GPU: the swarm moves on the GPU, positions are copied to the host in every generation, \
             evaluated on one thread, and their fitnesses copied back."
                .into(),
        );
    } else {
        notes.push(
            "No GPU was used: what the paper compares with, CPU + GPU and GPU, is left out.".into(),
        );
    }
    notes.push(
        "Best value: of each set in all repetitions, of the model of so many parameters; the optimum is 0, to \
         rounding. Every implementation found the same points in every repetition, to the bit, or there would be no \
         tables."
            .into(),
    );
    notes.push(configurations());
    if results.generations.iter().chain(&results.particles).any(Point::is_scaled) {
        notes.push(
            "* from fewer generations, as many as times.csv has; times are scaled in proportion, best values are \
             those after the fewer."
                .into(),
        );
    }
    notes
}

/// A note about the number of configurations, here and in the paper.
fn configurations() -> String {
    let ours = [paper::ALONG_GENERATIONS.len(), paper::ALONG_PARTICLES.len()];
    let theirs = [paper::RUNS_OVER_GENERATIONS, paper::RUNS_OVER_PARTICLES];
    let [generations, particles] = theirs.map(|runs| runs / paper::REPETITIONS);
    format!(
        "Configurations: the paper measured {generations} numbers of generations and {particles} of particles, as \
         follows from its {} and {} runs of each implementation, {} of each configuration. Here they are {} and {} of \
         those, with the same ends: times grow in proportion to generations, and between neighbouring numbers of \
         particles they differ by little.",
        integer(theirs[0]),
        integer(theirs[1]),
        paper::REPETITIONS,
        ours[0],
        ours[1],
    )
}

/// A note about the speed-up of the GPU over the other methods; `None` without a GPU.
fn faster(points: &[Point]) -> Option<String> {
    let over = |method| {
        let ratios = points.iter().map(|point| point.speedup(method));
        let ratios = ratios.collect::<Option<Vec<_>>>()?;
        let (least, most) = ratios
            .iter()
            .fold((f64::INFINITY, 0.0), |(least, most), x| (x.min(least), x.max(most)));
        Some(format!("{} to {} times as fast as {}", number(least), number(most), method.name()))
    };
    Some(format!(
        "All on the GPU is {}, {}, and {}.",
        over(Method::Cpu)?,
        over(Method::Hosted)?,
        over(Method::Threads)?
    ))
}

/// A note about the number of particles from which CPU + GPU is faster than the CPU.
fn overtaking(points: &[Point]) -> String {
    let wins = |point: &Point| {
        let time = |method| point.of(method).map(Timed::time);
        time(Method::Hosted) < time(Method::Cpu)
    };
    let losses = points.iter().rposition(|point| !wins(point)).map_or(0, |last| last + 1);
    match points.get(losses) {
        None => "does not overtake the CPU up to 512 particles".into(),
        Some(_) if losses == 0 => "is faster than the CPU with any number of particles".into(),
        Some(point) => format!("overtakes the CPU at {} particles", point.size.particles),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::libcudaoptimize::results::tests::made_up;

    #[test]
    fn who_overtakes_whom() {
        // 4 n = 100 + 2 n for n = 50.
        let mut points = made_up(&Method::ALL).particles;
        assert_eq!(overtaking(&points), "overtakes the CPU at 64 particles");
        assert_eq!(overtaking(&points[4..]), "is faster than the CPU with any number of particles");
        points.truncate(4);
        assert_eq!(overtaking(&points), "does not overtake the CPU up to 512 particles");
    }

    #[test]
    fn notes_say_what_was_measured() {
        let results = made_up(&Method::ALL);
        let expected = "All on the GPU is 6.400 to 204.8 times as fast as CPU, 13.20 to 112.4 times as fast as CPU + \
                        GPU, and 4.800 to 153.6 times as fast as CPU, threads.";
        assert_eq!(of_figure_5(&results)[0], expected);
        let both = of_both(&results).join("\n");
        assert!(
            both.contains(
                "columns: CPU, 1 thread (backend cpu), CPU, 8 threads (backend cpu), a device"
            ) && both.contains("* from fewer")
        );
        assert!(!both.contains("left out"));
    }

    #[test]
    fn without_a_gpu_they_say_so() {
        let results = made_up(&Method::ALL[..2]);
        assert!(of_figure_4(&results).is_empty() && of_figure_5(&results).is_empty());
        assert!(of_both(&results).join("\n").contains("No GPU was used"));
    }
}
