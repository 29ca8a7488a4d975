//! Finds two templates in an image at once; they are translated, rotated and scaled.
//! `cargo run --release -p warpswarm-examples --bin registration -- --picture registration.svg`

use clap::Parser;
use models::registration::{Registration, placed};
use warpswarm::{
    Bounds, Data, DeParams, OwnObjective, RunReport, Settings, Stop, Variable, minimise,
};
use warpswarm_examples::chart::{
    Area, BLACK, COLOURS, Circle, Color, Drawn, FONT, IntoFont, PathElement, RGBColor, Rectangle,
    ShapeStyle, Text, WHITE, picture, titled,
};
use warpswarm_examples::{Arguments, KERNELS, uniform};

/// Width and height of the image, in points.
const SIZE: usize = 96;
/// Width and height of a template, in points.
const POINTS: usize = 17;
/// The standard deviation of the noise, in the image and again in the templates; black is 0, white 1.
const NOISE: f64 = 0.03;
/// The places from which the templates were cut: x, y, angle, scale.
const TRUTH: [[f64; 4]; 2] = [[30.0, 33.0, 0.6, 1.2], [66.0, 62.0, -1.1, 0.8]];

fn main() -> Drawn {
    let options = Arguments::parse().options;
    let image: Vec<f64> =
        (0..SIZE * SIZE).map(|i| noisy(scene([i % SIZE, i / SIZE].map(|p| p as f64)), i)).collect();
    let mut data = Data::<f32>::new();
    let single = |numbers: &[f64]| numbers.iter().map(|&x| x as f32).collect::<Vec<f32>>();
    let table = data.matrix(single(&image), SIZE)?;
    // Each run has its own template: coordinates and brightness of its points.
    let points: Vec<[f64; 2]> = (0..POINTS * POINTS).map(point).collect();
    let templates = TRUTH.iter().flat_map(|&truth| points.iter().map(move |&p| placed(truth)(p)));
    let greys: Vec<f64> =
        templates.enumerate().map(|(i, p)| noisy(scene(p), SIZE * SIZE + i)).collect();
    let both = |k: usize| single(&points.iter().chain(&points).map(|p| p[k]).collect::<Vec<_>>());
    let across = data.table_of_runs(both(0), 2)?;
    let down = data.table_of_runs(both(1), 2)?;
    let grey = data.table_of_runs(single(&greys), 2)?;
    let objective = Registration { image: table, across, down, grey };
    let objective = OwnObjective::new("Registration", objective);
    let objective = objective.with_data(data).with_kernels(KERNELS);

    let side = (SIZE - 1) as f64;
    let bounds = Bounds::of(&[
        Variable::linear("x", 0.0, side),
        Variable::linear("y", 0.0, side),
        Variable::linear("angle", -std::f64::consts::PI, std::f64::consts::PI),
        Variable::linear("scale", 0.6, 1.6),
    ])?;
    let stop = Stop::iterations(if options.small { 60 } else { 300 });
    let settings = Settings {
        individuals: if options.small { 128 } else { 512 },
        runs: 2,
        stop,
        ..Settings::default()
    };
    let algorithm = DeParams::default().into();
    let report = minimise::<f32, _>(&objective, &bounds, &algorithm, &settings)?;
    // The initial individuals of the same runs.
    let settings = Settings { stop: Stop::iterations(0), polish: Some(false), ..settings };
    let start = minimise::<f32, _>(&objective, &bounds, &algorithm, &settings)?;

    println!("2 templates on {}: {:.2} s", report.device, report.seconds);
    println!("template            x        y    angle    scale  root mean square");
    for (number, (run, truth)) in report.runs.iter().zip(TRUTH).enumerate() {
        let row = |place: [f64; 4]| place.map(|x| format!("{x:9.3}")).concat();
        println!("{:8}  truth{}", number + 1, row(truth));
        println!("{:8}  found{}  {:16.4}", "", row(place(run)), run.best.value.sqrt());
    }

    let Some(file) = options.picture else { return Ok(()) };
    picture(&file, (920, 500), |area| {
        let (left, right) = area.split_horizontally(460);
        let [before, after] =
            [&start, &report].map(|report| report.runs.iter().map(place).collect::<Vec<_>>());
        draw(&titled(&left, "before: the best of the first individuals")?, &image, &before)?;
        draw(&titled(&right, "after: where the templates were found")?, &image, &after)
    })
}

/// The place at which a run has found its template.
fn place(run: &RunReport<f32>) -> [f64; 4] {
    std::array::from_fn(|k| f64::from(run.best.position[k]))
}

/// The brightness of the scene without noise: a gradient, waves, discs, a dark bar, a triangle, and a rectangle.
fn scene([x, y]: [f64; 2]) -> f64 {
    let mut bright = 0.35 + 0.003 * x + 0.001 * y + 0.06 * (0.25 * x).sin() * (0.2 * y).cos();
    // Edges are soft, about two points wide.
    let mut paint =
        |inside: f64, shade: f64| bright += (0.5 + 0.5 * inside).clamp(0.0, 1.0) * (shade - bright);
    paint(9.0 - (x - 27.0).hypot(y - 30.0), 0.95);
    paint(
        (4.0 - (0.8 * (x - 40.0) - 0.6 * (y - 38.0)).abs())
            .min(14.0 - (0.6 * (x - 40.0) + 0.8 * (y - 38.0)).abs()),
        0.1,
    );
    paint((y - 54.0).min(72.0 - y).min(x - 58.0).min(90.0 - x - 0.9 * (y - 54.0)), 0.85);
    paint(5.0 - (x - 66.0).hypot(y - 64.0), 0.2);
    paint((7.0 - (x - 20.0).abs()).min(10.0 - (y - 74.0).abs()), 0.75);
    paint(6.0 - (x - 76.0).hypot(y - 20.0), 0.15);
    bright
}

/// Point `i` of a template, relative to its centre.
fn point(i: usize) -> [f64; 2] {
    [i % POINTS, i / POINTS].map(|p| p as f64 - (POINTS / 2) as f64)
}

/// Adds the noise of draw `i`: the sum of four uniform numbers, which is approximately normal.
fn noisy(bright: f64, i: usize) -> f64 {
    let sum: f64 = (0..4).map(|k| uniform(4 * i as u64 + k)).sum();
    bright + NOISE * 3.0_f64.sqrt() * (sum - 2.0)
}

/// Draws the image in squares of two by two points, and the outlines of the templates.
fn draw(area: &Area<'_>, image: &[f64], places: &[[f64; 4]]) -> Drawn {
    const PIXELS: f64 = 4.6;
    let at = |[x, y]: [f64; 2]| ((10.0 + PIXELS * x) as i32, (5.0 + PIXELS * y) as i32);
    for y in (0..SIZE).step_by(2) {
        // There are 12 shades; neighbours with the same shade become one rectangle.
        let shade = |x: usize| {
            let four = [0, 1, SIZE, SIZE + 1].map(|i| image[y * SIZE + x + i]);
            (3.0 * four.iter().sum::<f64>()).clamp(0.0, 11.0) as u8
        };
        let mut x = 0;
        while x < SIZE {
            let end = (x..SIZE).step_by(2).find(|&end| shade(end) != shade(x)).unwrap_or(SIZE);
            let corners = [at([x as f64, y as f64]), at([end as f64, (y + 2) as f64])];
            let grey = RGBColor(23 * shade(x), 23 * shade(x), 23 * shade(x));
            area.draw(&Rectangle::new(corners, ShapeStyle::from(&grey).filled()))?;
            x = end;
        }
    }
    for (number, &place) in places.iter().enumerate() {
        let end = (POINTS / 2) as f64;
        let corners = [[-end, -end], [end, -end], [end, end], [-end, end], [-end, -end]];
        let outline = |place: [f64; 4]| corners.map(placed(place)).map(at);
        let middle = |[x, y, ..]: [f64; 4]| at([x, y]);
        // Rings show from where the templates were cut.
        for (style, more) in [(WHITE.stroke_width(5), 1), (COLOURS[number].stroke_width(2), 0)] {
            area.draw(&PathElement::new(outline(place), style))?;
            area.draw(&Circle::new(middle(TRUTH[number]), 7 + more, style))?;
        }
        let (x, y) = middle(place);
        area.draw(&Rectangle::new([(x - 7, y - 9), (x + 7, y + 9)], WHITE.filled()))?;
        let text = (FONT, 16).into_font().color(&BLACK);
        area.draw(&Text::new((number + 1).to_string(), (x - 4, y - 7), text))?;
    }
    Ok(())
}
