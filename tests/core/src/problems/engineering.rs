//! The constraints of the engineering problems: at points computed by another program, at their optima, and at the
//! points printed in papers.

use warpswarm_core::Objective;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::*;

use super::{Check, Tested, fitness, for_all, optimum};

fn constraints<F: Problem>(x: &[f64]) -> Vec<f64> {
    let mut found = Vec::new();
    F::constraints(&SlicePoint(x), |g| found.push(g));
    found
}

/// Fails unless the constraints at `x` are `expected`, and their sum is the violation.
fn check<F: Problem + Objective<f64>>(x: &[f64], expected: &[f64]) {
    let found = constraints::<F>(x);
    assert_eq!(found.len(), F::CONSTRAINTS.len(), "{}", F::ID);
    assert_eq!(found.len(), expected.len(), "{}", F::ID);
    for ((g, expected), Constraint { name, .. }) in found.iter().zip(expected).zip(F::CONSTRAINTS) {
        // A difference of two numbers near `size` has an error in their last places.
        let size = if expected.abs() > 2.0 { 3e4 } else { 2.0 };
        let error = (g - expected).abs();
        assert!(error <= 1e-14 * size, "{} {name}: {g}, not {expected}", F::ID);
    }
    let sum: f64 = found.iter().filter(|g| **g > 0.0).sum();
    assert_eq!(fitness(&F::default(), x).violation, sum, "{}", F::ID);
}

/// Numbers computed with Python's mpmath in forty digits, from the formulas as printed in papers.
#[test]
fn constraints_by_another_program() {
    let (near, far) = ([0.0625, 0.5, 10.0], [0.25, 1.0, 4.0]);
    let [surge_near, size_near, surge_far, size_far] = [-2.511_25, -0.625, -7.778_125, -1.0 / 6.0];
    let near_g = |g1, g2| [g1, g2, surge_near, size_near];
    let far_g = |g1, g2| [g1, g2, surge_far, size_far];
    check::<Spring>(&near, &near_g(-0.141_185_484_432_680_92, -0.228_116_319_966_386_85));
    check::<Spring>(&far, &far_g(0.985_735_181_444_591_5, -0.971_402_116_636_220_3));
    check::<SpringCmepso>(&near, &near_g(-10.412_649_763_165_227, -0.318_330_814_773_722_75));
    check::<SpringCmepso>(&far, &far_g(0.857_341_877_960_434_7, -0.977_768_122_136_450_3));

    let beam = [0.25, 3.0, 8.0, 0.25];
    let others = [1500.0, 0.0, -3.357_715_625, -0.125, -0.232_85, -3_906.108_725_798_171_9];
    check::<WeldedBeam>(&beam, &[&[227.492_904_145_786_37][..], &others].concat());
    check::<WeldedBeamCmepso>(&beam, &[&[-7_930.831_638_023_528][..], &others].concat());
    let beam = [0.5, 2.0, 6.0, 0.375];
    let price = [7_333.333_333_333_333, 0.125, -3.241_862_5, -0.375];
    let others = [&price[..], &[-0.222_898_765_432_098_77, -20_903.948_955_369_71]].concat();
    check::<WeldedBeam>(&beam, &[&[-1_709.195_531_355_735_7][..], &others].concat());
    check::<WeldedBeamCmepso>(&beam, &[&[-9_347.607_265_053_053][..], &others].concat());

    let box_1 = [3.5, 0.75, 20.0, 8.0, 8.0, 3.0, 5.25];
    let mut expected = [
        -0.314_285_714_285_714_3,
        -0.495_238_095_238_095_2,
        -0.186_699_588_477_366_26,
        -0.913_284_087_734_363_1,
        0.390_612_083_868_545_84,
        0.020_847_798_835_232_84,
        -0.625,
        0.071_428_571_428_571_43,
        -0.611_111_111_111_111,
        -0.2,
        -0.040_625,
    ];
    check::<SpeedReducer>(&box_1, &expected);
    check::<SpeedReducerMezura>(&box_1, &expected);
    (expected[4], expected[8]) = (-1.0, -0.781_25);
    check::<SpeedReducerCmepso>(&box_1, &expected);
    let box_2 = [3.0, 0.75, 24.0, 7.5, 8.25, 3.5, 5.0];
    let mut expected = [
        -1.0 / 3.0,
        -0.591_049_382_716_049_4,
        -0.698_563_098_708_871_3,
        -0.903_668_875,
        -0.125_859_738_972_718_68,
        0.181_604_211_441_036_7,
        -0.55,
        0.25,
        -2.0 / 3.0,
        -0.046_666_666_666_666_67,
        -0.103_030_303_030_303_03,
    ];
    check::<SpeedReducer>(&box_2, &expected);
    check::<SpeedReducerMezura>(&box_2, &expected);
    (expected[4], expected[8]) = (-1.0, -0.8125);
    check::<SpeedReducerCmepso>(&box_2, &expected);

    let vessel = [-0.035, -0.023, -12_996.938_995_747_183, -140.0];
    check::<PressureVessel>(&[1.0, 0.5, 50.0, 100.0], &vessel);
    check::<PressureVesselMixed>(&[1.03, 0.47, 50.0, 100.0], &vessel);
    let vessel = [-0.0019, -0.036_82, -11_857.588_060_045_285, -60.0];
    check::<PressureVessel>(&[0.8125, 0.4375, 42.0, 180.0], &vessel);
    check::<PressureVesselMixed>(&[0.782, 0.46, 42.0, 180.0], &vessel);

    let truss = [0.019_624_834_348_572_944, -1.352_958_167_681_906_3, -0.627_416_997_969_520_8];
    check::<ThreeBarTruss>(&[0.75, 0.5], &truss);
    let truss = [1.171_572_875_253_81, -1.171_572_875_253_81, 0.343_145_750_507_619_8];
    check::<ThreeBarTruss>(&[0.5, 0.25], &truss);
}

#[test]
fn optima_are_feasible_and_where_constraints_bind() {
    struct Feasible;
    impl Check for Feasible {
        fn check<F: Tested>(&self) {
            assert_eq!(<F as Objective<f64>>::CONSTRAINED, !F::CONSTRAINTS.is_empty(), "{}", F::ID);
            let dimensions = F::DIMENSIONS.usual();
            let names = F::COORDINATES.len();
            assert!(names == 0 || names == dimensions, "{}", F::ID);
            if F::CONSTRAINTS.is_empty() {
                return;
            }
            let found = constraints::<F>(&optimum::<F>(dimensions).unwrap());
            // For an active constraint, the two sides differ by rounding; the largest sides are the 1,296,000 cubic
            // inches of the vessel.
            let slack = |i| if F::ID.starts_with("pressure") && i == 2 { 1e-9 } else { 1e-11 };
            let feasible = found.iter().enumerate().all(|(i, g)| *g <= slack(i));
            assert!(feasible, "{}: {found:?}", F::ID);
            let binding = found.iter().enumerate().filter(|(i, g)| g.abs() <= slack(*i)).count();
            let expected = match F::ID {
                "spring" => 2,
                "welded-beam" | "welded-beam-cmepso" => 4,
                "speed-reducer" => 4,
                "speed-reducer-mezura" => 3,
                "speed-reducer-cmepso" => 2,
                "pressure-vessel" => 3,
                "pressure-vessel-mixed" => 2,
                _ => 1,
            };
            assert_eq!(binding, expected, "{}: {found:?}", F::ID);
        }
    }
    for_all(Feasible);
}

#[test]
fn plates_are_rounded_to_the_nearest_sixteenth() {
    let cost = |x1: f64| PressureVesselMixed.evaluate(&SlicePoint(&[x1, 1.0, 50.0, 100.0])).value;
    for k in 1..=99 {
        let exact = f64::from(k) / 16.0;
        let as_it_is = PressureVessel.evaluate(&SlicePoint(&[exact, 1.0, 50.0, 100.0])).value;
        for x1 in [exact - 0.03124, exact, exact + 0.03124] {
            assert_eq!(cost(x1), as_it_is, "{x1}");
        }
        assert!(cost(exact + 0.03126) > as_it_is);
    }
}

/// A NaN constraint is violated, not satisfied: no infeasible point may appear feasible.
#[test]
fn a_constraint_that_is_no_number_is_violated() {
    let nothing = ThreeBarTruss.evaluate(&SlicePoint(&[0.0_f64, 0.0]));
    assert!(nothing.violation.is_nan());
    assert!(ThreeBarTruss.evaluate(&SlicePoint(&[0.0_f64, 0.5])).violation.is_infinite());
    assert!(ThreeBarTruss.evaluate(&SlicePoint(&[1.0_f64, 1.0])).beats(nothing));
}

/// A point printed in a paper with its value and its constraints, and half a unit of the last digit of each.
struct Printed<'a> {
    x: &'a [f64],
    value: f64,
    constraints: &'a [f64],
    /// Half a unit of the last digit of x, and of the value and the constraints.
    half_units: (f64, f64),
}

/// The interval check: each printed number is within the range of the value or constraint while every coordinate varies
/// by half a unit of its last digit. The range is taken from the corners of the box and a grid in it.
fn check_printed<F: Problem + Objective<f64>>(printed: &Printed<'_>, skipped: &[usize]) {
    let Printed { x, value, constraints: expected, half_units: (half_x, half) } = *printed;
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); expected.len() + 1];
    for corner in 0..3_usize.pow(x.len() as u32) {
        let step = |i: usize| (corner / 3_usize.pow(i as u32) % 3) as f64 - 1.0;
        let moved: Vec<f64> = (0..x.len()).map(|i| x[i] + half_x * step(i)).collect();
        let values = constraints::<F>(&moved);
        let all = [fitness(&F::default(), &moved).value].into_iter().chain(values);
        for (range, found) in ranges.iter_mut().zip(all) {
            *range = (range.0.min(found), range.1.max(found));
        }
    }
    for (k, &said) in [value].iter().chain(expected).enumerate() {
        let (least, most) = ranges[k];
        let fits = least - half <= said && said <= most + half;
        assert!(fits || skipped.contains(&k), "{} {k}: {said} is not in {least}..{most}", F::ID);
    }
}

#[test]
fn the_figures_of_the_cmepso_paper() {
    let six = (0.5e-6, 0.5e-6);
    // Table 2, columns CMEPSO and {1}, whose constraints have five digits; {3} is the problem of the
    // literature, but its G1 does not follow from its x.
    check_printed::<SpringCmepso>(
        &Printed {
            x: &[0.05, 0.282_023, 2.0],
            value: 0.002_820,
            constraints: &[0.0, -0.235_327, -43.146_137, -0.778_651],
            half_units: six,
        },
        &[],
    );
    check_printed::<SpringCmepso>(
        &Printed {
            x: &[0.050_18, 0.279_604, 2.087_959],
            value: 0.002_878,
            constraints: &[-0.002_84, -0.249_45, -42.176, -0.780_14],
            half_units: (0.5e-6, 0.5e-5),
        },
        &[],
    );
    check_printed::<Spring>(
        &Printed {
            x: &[0.051_989, 0.363_965, 10.890_522],
            value: 0.012_681,
            constraints: &[-0.000_013, -0.000_021, -4.061_338, -0.722_698],
            half_units: six,
        },
        &[1],
    );
    // Table 3, column CMEPSO.
    check_printed::<WeldedBeamCmepso>(
        &Printed {
            x: &[0.205_73, 1.517_675, 9.036_624, 0.205_73],
            value: 1.458_883,
            constraints: &[
                -0.001_953, -0.001_953, 0.0, -3.607_646, -0.080_73, -0.235_54, -0.000_488,
            ],
            half_units: six,
        },
        &[],
    );
    // Table 4, columns CMEPSO and {5}, whose G2 is misprinted and whose G4 is cut, not rounded.
    let mut reducer = [
        -0.073_915, -0.197_999, -0.107_955, -0.901_472, -1.0, 0.0, -0.7025, 0.0, -0.795_833,
        -0.143_836, -0.010_852,
    ];
    check_printed::<SpeedReducerCmepso>(
        &Printed {
            x: &[3.5, 0.7, 17.0, 7.3, 7.8, 2.9, 5.286_684],
            value: 2_896.259_277,
            constraints: &reducer,
            half_units: six,
        },
        &[],
    );
    (reducer[1], reducer[2], reducer[3], reducer[4]) = (-0.197_996, -0.499_172, -0.901_471, 0.0);
    (reducer[8], reducer[9]) = (-0.583_333, -0.051_326);
    check_printed::<SpeedReducerMezura>(
        &Printed {
            x: &[3.5, 0.7, 17.0, 7.3, 7.8, 3.350_215, 5.286_683],
            value: 2_996.348_165,
            constraints: &reducer,
            half_units: six,
        },
        &[2, 4],
    );
}
