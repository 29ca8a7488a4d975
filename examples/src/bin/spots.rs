//! Locates spots in microscope images: a million fits, with their errors.
//! `cargo run --release -p warpswarm-examples --bin spots -- --picture spots.svg`

use std::time::Instant;

use clap::Parser;
use models::spot::{Peak, SIDE, Spot};
use warpswarm::fit::{FitSettings, Fits, FittedModel, Observed, SmoothModel};
use warpswarm::{Backend, Bounds, Data, Variable, fit};
use warpswarm_examples::chart::{Area, Drawn, Look, Panel, Series, panel, picture};
use warpswarm_examples::{KERNELS, Options, uniform};

/// Number of pixels of a line.
const LINE: usize = 64;
/// The standard deviation of the noise of a pixel.
const NOISE: f64 = 2.0;

#[derive(clap::Parser)]
struct Arguments {
    /// Pictures
    #[arg(long, default_value_t = 1_000_000)]
    spots: usize,
    /// Lines of 64 pixels with a peak in each, in place of pictures of 5 x 5
    #[arg(long)]
    lines: bool,
    /// Search for each spot, in place of starting within 20 % of the truth
    #[arg(long)]
    search: bool,
    /// Where fits are done: auto, cpu or gpu
    #[arg(long, default_value_t = Backend::Auto)]
    backend: Backend,
    #[command(flatten)]
    options: Options,
}

fn main() -> Drawn {
    let mut arguments = Arguments::parse();
    if arguments.options.small {
        arguments.spots = arguments.spots.min(200);
    }
    if arguments.lines {
        let truth = |k: usize| {
            let draw = |i| uniform((4 * k + i) as u64);
            [100.0 + 400.0 * draw(0), 20.0 + 24.0 * draw(1), 3.0 + 5.0 * draw(2), 10.0]
        };
        let value = |[height, place, width, background]: [f64; 4], pixel: usize| {
            height * (-((pixel as f64 - place) / width).powi(2) / 2.0).exp() + background
        };
        let bounds = Bounds::of(&[
            Variable::linear("height", 0.0, 2000.0),
            Variable::linear("place", 0.0, 63.0),
            Variable::linear("width", 0.5, 30.0),
            Variable::linear("background", -100.0, 100.0),
        ])?;
        return located(&arguments, (Peak, "Peak", LINE), &bounds, truth, value);
    }
    let truth = |k: usize| {
        let draw = |i| uniform((4 * k + i) as u64);
        [500.0, 1.6 + 0.8 * draw(0), 1.6 + 0.8 * draw(1), 1.0 + 0.4 * draw(2), 10.0]
    };
    let value = |[height, across, down, width, background]: [f64; 5], pixel: usize| {
        let [i, j] = [pixel % SIDE, pixel / SIDE].map(|place| place as f64);
        let distance = (i - across).powi(2) + (j - down).powi(2);
        height * (-distance / (2.0 * width * width)).exp() + background
    };
    let bounds = Bounds::of(&[
        Variable::linear("height", 0.0, 2000.0),
        Variable::linear("across", -1.0, 5.0),
        Variable::linear("down", -1.0, 5.0),
        Variable::linear("width", 0.3, 5.0),
        Variable::linear("background", -100.0, 100.0),
    ])?;
    located(&arguments, (Spot, "Spot", SIDE * SIDE), &bounds, truth, value)
}

/// Generates images, fits them, and prints the distances from the truth.
fn located<M: SmoothModel<f32, N>, const N: usize>(
    arguments: &Arguments,
    (model, name, pixels): (M, &'static str, usize),
    bounds: &Bounds,
    truth: impl Fn(usize) -> [f64; N],
    value: impl Fn([f64; N], usize) -> f64,
) -> Drawn {
    let count = arguments.spots;
    let mut seen = Vec::with_capacity(count * pixels);
    for k in 0..count {
        let truth = truth(k);
        seen.extend(
            (0..pixels).map(|pixel| (value(truth, pixel) + noise(k * pixels + pixel)) as f32),
        );
    }
    let about = |k: usize| {
        let near = move |i: usize| 0.8 + 0.4 * uniform((7 << 40) + (k * N + i) as u64);
        let truth = truth(k);
        (0..N).map(move |i| truth[i] * near(i))
    };
    let start = if arguments.search { Vec::new() } else { (0..count).flat_map(about).collect() };
    let settings = FitSettings {
        start,
        backend: arguments.backend,
        // Smaller tolerances make no sense with this noise.
        ftol: Some(1e-4),
        xtol: Some(1e-4),
        evaluations: Some(if N == 5 { 11 } else { 21 }),
        ..FitSettings::default()
    };
    // The first repetition also loads the kernels and touches new memory.
    let mut seconds = Vec::new();
    let fits = loop {
        let seen = seen.clone();
        let began = Instant::now();
        let mut data = Data::new();
        let observed = Observed::plain(data.table_of_runs(seen, count as u64)?);
        let model =
            FittedModel::<f32, M, N>::new(model, observed, data).with_kernels(name, KERNELS);
        let fits = fit(&model, bounds, &settings)?;
        seconds.push(began.elapsed().as_secs_f64());
        if seconds.len() == 4 || arguments.options.small {
            break fits;
        }
    };
    let strayed: Vec<f64> = fits
        .iter()
        .filter(|fit| fit.status().is_converged())
        .map(|fit| {
            let [found, error] = [fit.parameters()[1], fit.errors()[1]].map(f64::from);
            (found - truth(fit.number())[1]) / error
        })
        .collect();
    say(&fits, &mut seconds, &strayed);
    let Some(file) = &arguments.options.picture else { return Ok(()) };
    picture(file, (560, 360), |area| draw(area, &strayed))
}

/// Prints the speed of the fits, and how often their standard errors contain the truth.
fn say(fits: &Fits<f32>, seconds: &mut [f64], strayed: &[f64]) {
    let count = fits.len();
    let later = 1.min(seconds.len() - 1);
    seconds[later..].sort_by(f64::total_cmp);
    let best = seconds[seconds.len() / 2];
    let rate = count as f64 / best / 1e6;
    println!("{count} fits on {}: {best:.4} s, {rate:.2} million fits a second", fits.device());
    println!("the first time: {:.4} s", seconds[0]);
    let converged = fits.iter().filter(|fit| fit.status().is_converged()).count();
    println!("not converged: {:.4} %", 100.0 * (count - converged) as f64 / count as f64);
    let within = strayed.iter().filter(|of| of.abs() < 1.0).count();
    println!(
        "within one standard error of the truth: {:.1} % (normal: 68.3 %)",
        100.0 * within as f64 / strayed.len() as f64
    );
}

/// Draws the distances of the positions from the truth, in standard errors, and a normal distribution.
fn draw(area: &Area<'_>, strayed: &[f64]) -> Drawn {
    const WIDTH: f64 = 0.25;
    let mut counts = [0_u32; 32];
    for of in strayed {
        if let Some(count) = counts.get_mut((of / WIDTH + 16.0).floor() as usize) {
            *count += 1;
        }
    }
    let middle = |k: usize| (k as f64 - 15.5) * WIDTH;
    let normal = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let of_all = strayed.len() as f64 * WIDTH;
    let found = (0..32).map(|k| (middle(k), f64::from(counts[k]) / of_all)).collect();
    let expected = (0..32).map(|k| (middle(k), normal(middle(k)))).collect();
    let texts = Panel {
        title: "how far the places found are from the truth",
        x: "standard errors",
        y: "density",
        least: None,
    };
    let series = [
        Series { name: "found", look: Look::Rings, lines: vec![found] },
        Series { name: "normal distribution", look: Look::Line(2), lines: vec![expected] },
    ];
    panel(area, &texts, &series)
}

/// The noise of a pixel: the sum of twelve uniform numbers minus its mean, which is approximately normal.
fn noise(pixel: usize) -> f64 {
    let draws = (0..12).map(|k| uniform((1 << 50) + (12 * pixel + k) as u64));
    NOISE * (draws.sum::<f64>() - 6.0)
}
