//! Wrong derivatives are detected, and correct ones are not reported.

use warpswarm::{
    Algorithm, AnyObjective, Backend, Bounds, Derivatives, HostObjective, Objective, Optimiser,
    Point, Precise, PsoParams, Real, Settings, Variable, problems,
};

use crate::common::long;

fn settings() -> Settings {
    Settings { individuals: 16, backend: Backend::Cpu, polish: Some(true), ..Settings::default() }
}

fn pso() -> Algorithm {
    PsoParams::default().into()
}

fn derivatives<R: Precise>(goal: &impl AnyObjective<R>, bounds: &Bounds) -> Derivatives<R> {
    Optimiser::new(goal, bounds, &pso(), &settings()).unwrap().derivatives().unwrap()
}

/// Points where symmetric functions have kinks, and corners.
fn corners(bounds: &Bounds) -> [Vec<f64>; 3] {
    let (lower, upper) = (bounds.lower().to_vec(), bounds.upper().to_vec());
    let centre = lower.iter().zip(&upper).map(|(l, u)| l + 0.5 * (u - l)).collect();
    [lower, upper, centre]
}

/// These bounds with starting points there.
fn with_corners(bounds: Bounds) -> Bounds {
    let first = corners(&bounds);
    bounds.beginning_at(&first).unwrap()
}

#[test]
fn derivatives_of_all_problems_agree_with_differences() {
    fn all<R: Precise>(seed: u64) -> Vec<String> {
        let mut wrong = Vec::new();
        for info in problems::all() {
            for dimensions in [2, 7, 40, info.dimensions.usual()] {
                let Ok(bounds) = info.bounds(dimensions) else { continue };
                let settings = Settings { seed, ..settings() };
                let bounds = with_corners(bounds);
                let mut optimiser = info.optimiser::<R>(0.0, &bounds, &pso(), &settings).unwrap();
                let found = optimiser.derivatives().unwrap();
                assert!(found.compared > 0, "{}", info.id);
                if found.wrong > 0 {
                    wrong.push(format!("{} in {}, {dimensions}: {found}", info.id, R::NAME));
                }
            }
        }
        wrong
    }
    for seed in 0..if long() { 2 } else { 1 } {
        let wrong = [all::<f32>(seed), all::<f64>(seed)].concat();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[cfg(feature = "problem-files")]
#[test]
fn derivatives_of_problem_files_agree_with_differences() {
    use warpswarm::Scale;
    use warpswarm::problem_file::ProblemFile;
    fn of<R: Precise>(problem: &ProblemFile) {
        let problem = &problem.clone().beginning_at(&corners(problem.bounds())).unwrap();
        let mut optimiser = match problem.optimiser::<R>(&pso(), &settings()) {
            // Not all bounds can be represented in f32.
            Err(_) if R::NAME == "f32" => return,
            made => made.unwrap(),
        };
        let found = optimiser.derivatives().unwrap();
        // Integers, choices and fixed variables are not compared.
        let bounds = problem.bounds();
        let whole = (0..bounds.dimensions()).all(|i| {
            bounds.scales()[i] == Scale::Integer || bounds.lower()[i] == bounds.upper()[i]
        });
        assert!(whole != (found.compared > 0) && found.wrong == 0, "{}: {found}", problem.name());
    }
    let mut count = 0;
    for folder in ["examples/problems", "crates/cli/tests/cases"] {
        let folder = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            // Some files exist to be refused.
            let is_problem = path.extension().is_some_and(|end| end == "toml");
            if let Some(Ok(problem)) = is_problem.then(|| ProblemFile::load(&path)) {
                of::<f32>(&problem);
                of::<f64>(&problem);
                count += 1;
            }
        }
    }
    assert!(count >= 20, "{count}");
    for function in 1..=24 {
        let problem = warpswarm::bbob::problem(function, 1, 5).unwrap();
        of::<f32>(problem.file());
        of::<f64>(problem.file());
    }
}

/// An objective whose derivatives are cut: a number is converted through `f64`.
#[derive(Clone, Copy)]
struct Cut;

impl<R: Real> Objective<R> for Cut {
    const CONSTRAINED: bool = true;
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.get(0) * x.get(0) + R::from_f64(x.get(1).to_f64()) * x.get(1)
    }
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        (R::from_f64(x.get(0).to_f64()) - x.get(1)).larger(R::ZERO)
    }
}

/// Jumps and kinks, at which derivatives are not judged.
#[derive(Clone, Copy)]
struct Rough;

impl<R: Real> Objective<R> for Rough {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let (a, b) = (x.get(0), x.get(1));
        let stairs = R::from_f64((a.to_f64() * 7.0).floor());
        stairs + a.abs() + (b * b).sqrt() + a.larger(b)
    }
}

#[test]
fn what_is_cut_out_of_derivatives_is_said() {
    fn check<R: Precise>() {
        let bounds = with_corners(Bounds::uniform(2, 1.0, 5.0).unwrap());
        let found = derivatives::<R>(&Cut, &bounds);
        let first = found.first_wrong.as_ref().unwrap();
        // The derivative by x2 is x2 instead of 2 x2 at all points; the constraint's derivative is wrong, as if x1 were
        // a constant, at about half of them.
        assert_eq!((first.coordinate, &first.by[..], first.constraint), (1, "x2", None), "{found}");
        assert_eq!(first.exact, first.point[1]);
        assert!((first.numerical.to_f64() / first.exact.to_f64() - 2.0).abs() < 1e-2, "{found}");
        assert!((20..=30).contains(&found.wrong) && found.compared == 64, "{found}");
        let rough = derivatives::<R>(&Rough, &with_corners(Bounds::uniform(2, -4.0, 4.0).unwrap()));
        assert!(rough.first_wrong.is_none(), "{rough}");
    }
    check::<f32>();
    check::<f64>();
}

/// ln(x1)^2 + 3 x2 with its gradient, times a factor.
fn own<R: Precise>(factor: f64) -> HostObjective<R> {
    let square = |x: R| x * x;
    HostObjective::new(move |x: &[R]| square(x[0].ln()) + R::from_f64(3.0) * x[1]).with_gradient(
        move |x, slopes| {
            slopes[0] = R::from_f64(2.0 * factor) * x[0].ln() / x[0];
            slopes[1] = R::from_f64(3.0);
        },
    )
}

#[test]
fn gradients_of_closures_are_compared() {
    fn check<R: Precise>() {
        for maximise in [false, true] {
            let variables = [Variable::log("a", 1e-2, 1e3), Variable::linear("b", -1.0, 1.0)];
            let bounds = Bounds::of(&variables).unwrap();
            let found = |factor| {
                let settings = Settings { maximise, ..settings() };
                let mut optimiser =
                    Optimiser::new(&own::<R>(factor), &bounds, &pso(), &settings).unwrap();
                optimiser.derivatives().unwrap()
            };
            assert_eq!((found(1.0).compared, found(1.0).wrong), (32, 0), "{}", found(1.0));
            let wrong = found(1.1);
            let first = wrong.first_wrong.as_ref().unwrap();
            // In the users' units: by the coordinate and not its logarithm, and with the sign of a maximum.
            let right = 2.0 * first.point[0].to_f64().ln() / first.point[0].to_f64();
            assert!((first.numerical.to_f64() / right - 1.0).abs() < 1e-2, "{wrong}");
            assert!((first.exact.to_f64() / right - 1.1).abs() < 1e-5, "{wrong}");
            assert!(wrong.wrong > 8 && first.coordinate == 0, "{wrong}");
        }
    }
    check::<f32>();
    check::<f64>();
    let none = HostObjective::new(|x: &[f64]| x[0] + x[1]);
    assert_eq!(derivatives(&none, &Bounds::uniform(2, -1.0, 1.0).unwrap()).compared, 0);
}
