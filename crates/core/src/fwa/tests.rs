//! The equations, worked out by hand.

use super::*;
use crate::method::tests::{Known, feasible};
use crate::random::RunKey;
use std::vec::Vec;

const FWA: Fwa<f64> = Fwa {
    amplitude: 0.25,
    amplitude_floor: 0.0,
    fewest: 0.1,
    most: 0.5,
    correction: 0.5,
    sparks: 20,
    gaussian_sparks: 3,
    mapping: Mapping::Modulo,
};

fn range(all: &[Fitness<f64>]) -> Range<f64> {
    Range::of(all.len() as u32, &Known(all))
}

fn who(index: u32) -> Individual<f64> {
    Individual {
        key: RunKey::new(5, 0),
        iteration: 3,
        index,
        individuals: 4,
        dimensions: 6,
        attempt: 0,
        fitness: feasible(0.0),
    }
}

#[test]
fn amplitudes_by_hand() {
    // y_min = 2; f - y_min = 0, 1, 5, 2, in all 8.
    let all = [2.0, 3.0, 7.0, 4.0].map(feasible);
    let range = range(&all);
    let found = all.map(|f| FWA.amplitude_of(&range, f));
    let expected = [0.0, 0.25 / 8.0, 0.25 * 5.0 / 8.0, 0.25 * 2.0 / 8.0];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
    // Machine precision keeps the best from zero: 0.25 * 2^-52 / 8.
    assert!((found[0] / (0.25 * f64::EPSILON / 8.0) - 1.0).abs() < 1e-12, "{}", found[0]);
    let floored = Fwa { amplitude_floor: 0.5, ..FWA };
    assert!((floored.amplitude_of(&range, all[1]) - (1.0 / 8.0 + 0.5) * 0.25).abs() < 1e-15);
}

#[test]
fn counts_by_hand() {
    // y_max = 7; y_max - f = 5, 4, 0, 3, in all 12; of 20 sparks 8.3, 6.7, 0 (2 at least), 5.
    let all = [2.0, 3.0, 7.0, 4.0].map(feasible);
    let counts = |fwa: &Fwa<f64>, all: [Fitness<f64>; 4]| {
        let range = range(&all);
        all.map(|f| fwa.sparks_of(&range, f))
    };
    assert_eq!(counts(&FWA, all), [8, 7, 2, 5]);
    // At most 0.3 of 20.
    assert_eq!(counts(&Fwa { most: 0.3, ..FWA }, all), [6, 6, 2, 5]);
    // Bounds are rounded as well, halves up: 0.125 * 20 = 2.5.
    assert_eq!(counts(&Fwa { fewest: 0.125, ..FWA }, all)[2], 3);
    // And there is one at least.
    assert_eq!(counts(&Fwa { fewest: 0.0, ..FWA }, all), [8, 7, 1, 5]);
    // Fireworks that are as good share alike.
    assert_eq!(counts(&FWA, [feasible(3.0); 4]), [5; 4]);
    assert_eq!(FWA.most_candidates(4), 4 + 20 + 4 + 4 * 2 + 3);
}

#[test]
fn a_lone_firework_has_all() {
    let all = [feasible(3.0)];
    assert_eq!(FWA.amplitude_of(&range(&all), all[0]), 0.25);
    assert_eq!(FWA.sparks_of(&range(&all), all[0]), 10);
}

#[test]
fn infeasible_fireworks_are_behind_the_worst_feasible_one() {
    let all = [
        feasible(-1.0),
        feasible(3.0),
        Fitness { violation: 0.5, value: -100.0 },
        Fitness { violation: 2.0, value: 0.0 },
    ];
    assert_eq!(all.map(|f| range(&all).cost(f)), [-1.0, 3.0, 3.5, 5.0]);
    assert_eq!([2, 3].map(|i| range(&all[2..]).cost(all[i])), [0.5, 2.0]);
}

#[test]
fn what_is_not_finite_is_as_good_as_the_nearest_that_is() {
    let values = [1.0, f64::NAN, 4.0, f64::INFINITY, f64::NEG_INFINITY];
    let mut all: Vec<_> = values.into_iter().map(feasible).collect();
    all.push(Fitness { violation: f64::NAN, value: 0.0 });
    all.push(Fitness { violation: f64::INFINITY, value: 0.0 });
    let costs: Vec<_> = all.iter().map(|&f| range(&all).cost(f)).collect();
    assert_eq!(costs, [1.0, 4.0, 4.0, 4.0, 1.0, 4.0, 4.0]);
    let nothing = [feasible(f64::NAN), feasible(f64::INFINITY)];
    assert_eq!(nothing.map(|f| FWA.amplitude_of(&range(&nothing), f)), [0.125; 2]);
    assert_eq!(nothing.map(|f| FWA.sparks_of(&range(&nothing), f)), [10; 2]);
}

#[test]
fn huge_differences_do_not_overflow() {
    let all = [-f64::MAX, f64::MAX, f64::MAX, 0.0].map(feasible);
    let range = range(&all);
    // f - y_min is 0, 2, 2, 1 of the largest number.
    assert_eq!(all.map(|f| FWA.amplitude_of(&range, f)), [0.0, 0.1, 0.1, 0.05]);
    assert_eq!(all.map(|f| FWA.sparks_of(&range, f)), [10, 2, 2, 7]);
}

#[test]
fn sparks_by_hand() {
    let bounds = (-2.0, 6.0);
    let spark = |change| Spark { firework: 0, coordinates: 1, change };
    assert_eq!(spark(Change::Shift(0.25)).changed(1.0, bounds), 3.0);
    assert_eq!(spark(Change::Shift(-0.5)).changed(1.0, bounds), -3.0);
    assert_eq!(spark(Change::Stretch(-1.5)).changed(1.0, bounds), -1.5);
    for index in 4..2_000 {
        let who = who(index);
        let spark = Spark::explosion(&who, 2, 0.5);
        let Change::Shift(h) = spark.change else { panic!("{spark:?}") };
        assert_eq!((spark.firework, h), (2, 0.5 * (2.0 * who.uniform(0)[0] - 1.0)));
        assert!((1..=6).contains(&spark.coordinates) && h.abs() < 0.5, "{spark:?}");
    }
}

#[test]
fn gaussian_sparks_have_the_mean_and_deviation_of_one() {
    let sparks: Vec<_> = (0..10_000).map(|index| Spark::gaussian(&who(index))).collect();
    let factor = |spark: &Spark<f64>| match spark.change {
        Change::Stretch(g) => g,
        Change::Shift(_) => panic!("{spark:?}"),
    };
    let mean = sparks.iter().map(factor).sum::<f64>() / 1e4;
    let variance = sparks.iter().map(|s| (factor(s) - 1.0).powi(2)).sum::<f64>() / 1e4;
    assert!((mean - 1.0).abs() < 0.04 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
    let count = |found: &dyn Fn(&Spark<f64>) -> bool| sparks.iter().filter(|s| found(s)).count();
    for firework in 0..4 {
        let found = count(&|s| s.firework == firework);
        assert!((2_300..2_700).contains(&found), "{firework}: {found}");
    }
    for z in 1..=6 {
        let found = count(&|s| s.coordinates == z);
        assert!((1_500..1_830).contains(&found), "{z}: {found}");
    }
}

#[test]
fn every_choice_of_coordinates_is_as_likely() {
    // 1 of 2 left: below 0.5. All that are left: whatever is drawn.
    assert!(is_chosen(1, 2, 0.49) && !is_chosen(1, 2, 0.5) && !is_chosen(0, 2, 1e-9));
    let most = 1.0 - f32::EPSILON / 2.0;
    for left in (1..3_000).chain([1 << 22, (1 << 22) - 1, 4_193_280]) {
        assert!(is_chosen(left, left, most), "{left}");
    }
    let mut counts = [0; 16];
    for index in 0..12_000 {
        let draws = crate::method::SiteDraws::of(&who(index));
        let (mut wanted, mut set) = (2, 0);
        for i in 0..4 {
            if is_chosen(wanted, 4 - i, draws.drawn::<f64>(i, 0)[0].open()) {
                wanted -= 1;
                set |= 1 << i;
            }
        }
        counts[set] += 1;
    }
    let pairs: Vec<_> = (0..16_usize).filter(|set| set.count_ones() == 2).collect();
    assert_eq!(pairs.iter().map(|&set| counts[set]).sum::<i32>(), 12_000);
    assert!(pairs.iter().all(|&set| (1_850..2_150).contains(&counts[set])), "{counts:?}");
}

#[test]
fn mapping_by_hand() {
    let mapped = |x| FWA.mapped(x, (-1.0, 3.0), || 0.25);
    assert_eq!([-1.0, 0.5, 3.0].map(mapped), [-1.0, 0.5, 3.0]);
    // |3.5 + 1| mod 4 = 0.5, |-1.25 + 1| mod 4 = 0.25, |-6 + 1| mod 4 = 1, |12 + 1| mod 4 = 1
    assert_eq!([3.5, -1.25, -6.0, 12.0].map(mapped), [-0.5, -0.75, 0.0, 0.0]);
    for x in [f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, -f64::MAX] {
        for bounds in [(-1.0, 3.0), (5.0, 5.0), (-1e300, 1e300)] {
            let x = modulo(x, bounds);
            assert!(x >= bounds.0 && x <= bounds.1, "{x} in {bounds:?}");
        }
    }
    let of = |boundary| Fwa { mapping: Mapping::Boundary(boundary), ..FWA };
    let mapped = |boundary| of(boundary).mapped(3.5, (-1.0, 3.0), || 0.25);
    assert_eq!(Boundary::ALL.map(|(_, mode)| mapped(mode)), [3.0, 2.5, -0.5, 0.0, 2.5]);
    assert_eq!(Mapping::ALL[0], ("modulo", Mapping::default()));
    assert_eq!(Mapping::ALL[3], ("wrap", Mapping::Boundary(Boundary::Wrap)));
}

#[test]
fn distances_by_hand() {
    assert_eq!(place_in_range(1.0, (-1.0, 7.0)), 0.25);
    assert_eq!(place_in_range(2.5, (2.5, 2.5)), 0.0);
    assert_eq!(distance(&[0.5, 0.25, 1.0], &[0.5, 0.625, 0.5]), 0.625);
}

#[test]
fn the_roulette_by_hand() {
    // R = 1, 0, 3, 4: the wheel's parts end at 1, 1, 4, 8.
    let ends = [1.0, 1.0, 4.0, 8.0];
    let found = [0.01, 0.12, 0.125, 0.49, 0.5, 0.99].map(|r| roulette(&ends, r));
    assert_eq!(found, [0, 0, 2, 2, 3, 3]);
    assert_eq!(roulette(&[0.0, 0.0], 0.3), 1);
    assert_eq!(roulette(&[0.0], 0.3), 0);
}

#[test]
fn evaluations_are_counted_exactly() {
    fn check<R: Float>() {
        let mut numbers = [R::ZERO; NUMBERS];
        let mut all = 0;
        for more in [1, 7, (1 << 24) - 9, 1, 1, u64::from(u32::MAX), 1 << 40, 3] {
            numbers = counted(numbers, more);
            all += more;
            assert_eq!(evaluations(numbers), all);
        }
        assert_eq!(counted([R::ZERO; NUMBERS], (1 << 24) + 2), [R::TWO, R::ONE]);
        assert_eq!(evaluations([R::NAN, -R::ONE]), 0);
    }
    check::<f32>();
    check::<f64>();
}
