//! The functions at their optima, against COCO's values, and on CPU and emulator.

use super::*;
use crate::Float;

/// Function, instance, dimensions, and COCO's values at two points, written by `benches/bbob/coco.py`.
const COCO: &str = include_str!("coco.csv");

/// Points from -6 to 6, so that some coordinates are out of bounds; `benches/bbob/coco.py` computes the same points.
fn points(function: u32, instance: u32, dimensions: usize, count: usize) -> Vec<Vec<f64>> {
    let mut state =
        u64::from(function) * 1_000_000 + u64::from(instance) * 1000 + dimensions as u64;
    let mut next = || {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        12.0 * (state as f64 / f64::from(1_u32 << 31)) - 6.0
    };
    (0..count).map(|_| (0..dimensions).map(|_| next()).collect()).collect()
}

fn value(of: &Bbob, x: &[f64]) -> f64 {
    of.file().evaluate(x).unwrap().fitness.value
}

#[test]
fn values_are_those_of_coco() {
    let mut rows = 0;
    for row in COCO.lines().skip(1) {
        let numbers: Vec<f64> = row.split(',').map(|number| number.parse().unwrap()).collect();
        let &[function, instance, dimensions, ref values @ ..] = &numbers[..] else {
            panic!("{row}")
        };
        let (function, instance, dimensions) =
            (function as u32, instance as u32, dimensions as usize);
        let of = problem(function, instance, dimensions).unwrap();
        // f16 multiplies a rounding error of its argument by 3^11, and its elementary functions round differently from
        // COCO's. With logarithms and cosines other than those of COCO's platform, all rotations differ by rounding
        // errors.
        let is_same_library = cfg!(all(target_os = "linux", target_env = "gnu"));
        let tolerance = if is_same_library && function != 16 { 1e-12 } else { 1e-9 };
        for (x, &expected) in
            points(function, instance, dimensions, values.len()).iter().zip(values)
        {
            let found = value(&of, x);
            let size = expected.abs().max(of.optimum_value().abs());
            assert!(
                (found - expected).abs() <= tolerance * size,
                "{row}: {found:?} for {expected:?}"
            );
        }
        rows += 1;
    }
    assert_eq!(rows, 24 * 4 * 3);
}

#[test]
fn nothing_is_below_the_optimum() {
    for function in all() {
        for (instance, dimensions) in [(1, 2), (2, 5), (7, 40), (MAX_INSTANCE, 3)] {
            let of = function.instance(instance, dimensions).unwrap();
            let (least, optimum) = (of.optimum_value(), of.optimum_position());
            let error = (value(&of, optimum) - least).abs();
            assert!(error < 1e-9, "{} {instance} {dimensions}: {error}", function.id);
            for x in points(function.number, instance, dimensions, 50) {
                assert!(value(&of, &x) >= least, "{} {instance} {x:?}", function.id);
                // Near the optimum, too.
                let near: Vec<f64> = x.iter().zip(optimum).map(|(x, o)| o + 1e-3 * x).collect();
                assert!(value(&of, &near) > least - 1e-9, "{} {instance} {near:?}", function.id);
            }
        }
    }
}

#[test]
fn cpu_and_emulator_find_the_same_bits() {
    fn check<R: Float>(of: &Bbob, x: &[f64]) {
        let x: Vec<R> = x.iter().map(|&x| R::from_f64(x)).collect();
        let both = of.file().evaluate_twice(&x, true).expect("short enough");
        assert_eq!(
            both[0].value.to_bits64(),
            both[1].value.to_bits64(),
            "{} {x:?}",
            of.function().id
        );
    }
    for function in all() {
        for dimensions in [2, 5] {
            let of = function.instance(3, dimensions).unwrap();
            let mut all = points(function.number, 3, dimensions, 5);
            all.push(of.optimum_position().to_vec());
            for x in all {
                check::<f64>(&of, &x);
                check::<f32>(&of, &x);
            }
        }
    }
}

#[test]
fn every_function_has_as_many_dimensions_as_is_said() {
    for function in all() {
        let of = function.instance(1, MAX_DIMENSIONS).unwrap_or_else(|error| panic!("{error}"));
        let error = (value(&of, of.optimum_position()) - of.optimum_value()).abs();
        assert!(error < 1e-9, "{}: {error}", function.id);
    }
}

#[test]
fn a_file_with_computed_constants_can_be_kept() {
    for (function, dimensions) in [(15, 3), (21, 2)] {
        let of = problem(function, 4, dimensions).unwrap();
        let kept = toml::to_string(of.file()).unwrap();
        let read: ProblemFile = toml::from_str(&kept).unwrap();
        assert_eq!((read.name(), read.bounds()), (of.file().name(), of.file().bounds()));
        for x in points(function, 4, dimensions, 5) {
            assert_eq!(read.evaluate(&x).unwrap().fitness.value, value(&of, &x));
        }
    }
}

#[test]
fn names_and_numbers_are_checked() {
    assert_eq!(find("bbob-f3").unwrap(), find("bbob-f03").unwrap());
    assert_eq!(find("bbob-f24").unwrap().number, 24);
    for name in ["bbob-f0", "bbob-f25", "bbob-f", "bbob-f+1", "bbob-f-1", "bbob", "f1", "bbob-f1 "]
    {
        let error = find(name).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("did you mean bbob-f"), "{error}");
    }
    let said = |error: Result<Bbob>| error.unwrap_err().to_string();
    assert_eq!(said(problem(25, 1, 2)), "function is 25; allowed: 1 to 24");
    assert_eq!(said(problem(1, 0, 2)), "instance is 0; allowed: 1 to 200000");
    assert_eq!(said(problem(1, 200_001, 2)), "instance is 200001; allowed: 1 to 200000");
    assert_eq!(said(problem(1, 1, 1)), "dimensions is 1; allowed: 2 to 100 for bbob-f01");
    assert_eq!(said(problem(24, 1, 101)), "dimensions is 101; allowed: 2 to 100 for bbob-f24");
}
