//! Clusters of atoms with known best shapes.

use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::{LennardJones, Problem};
use warpswarm_core::{Objective, Real};

fn energy<R: Real>(places: &[R]) -> R {
    LennardJones.evaluate(&SlicePoint(places)).value
}

/// The smallest energy of a shape over all sizes.
fn least_energy(shape: &[[f64; 3]]) -> f64 {
    let at = |size: f64| energy(&shape.as_flattened().iter().map(|x| size * x).collect::<Vec<_>>());
    let (mut low, mut high) = (0.9, 1.3);
    for _ in 0..100 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(left) < at(right) { high = right } else { low = left }
    }
    at(low)
}

/// Polyhedra whose edges have length 1, in which every atom touches all its neighbours.
#[test]
fn regular_clusters_have_the_energies_of_the_table() {
    let best = |atoms: usize| LennardJones::optimum_value(3 * atoms).unwrap();
    let pair = [[0.0; 3], [1.0, 0.0, 0.0]];
    let height = 0.75_f64.sqrt();
    let triangle = [pair[0], pair[1], [0.5, height, 0.0]];
    let top = [0.5, height / 3.0, (2.0_f64 / 3.0).sqrt()];
    let tetrahedron = [triangle[0], triangle[1], triangle[2], top];
    for (shape, bonds) in [(&pair[..], 1.0), (&triangle, 3.0), (&tetrahedron, 6.0)] {
        assert_eq!(best(shape.len()), -bonds);
        assert!((least_energy(shape) + bonds).abs() < 1e-14 * bonds);
    }
    // An icosahedron: (0, 1, golden) with all signs, rotated; its edges have length 2.
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut shape = vec![[0.0; 3]];
    for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let (a, b) = (0.5 * a, 0.5 * b * golden);
        shape.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
    }
    assert!((least_energy(&shape) - best(13)).abs() < 1e-6);
}

#[test]
fn atoms_in_one_place_repel_each_other_without_end_but_finitely() {
    let together: f32 = energy(&[0.25; 3 * 100]);
    assert!(together.is_finite() && together > 1e30, "{together}");
    let mut least = [0.0_f32; 6];
    let apart = |x: f32, places: &mut [f32; 6]| {
        places[3] = x;
        energy(&places[..])
    };
    let inside = apart(0.001, &mut least);
    assert_eq!(inside, apart(0.0, &mut least));
    assert!(apart(0.004, &mut least) < inside);
    assert!(energy(&[f32::NAN, 0.0, 0.0, 1.0, 1.0, 1.0]).is_nan());
}

#[test]
fn what_is_not_known_is_not_said() {
    assert_eq!(LennardJones::optimum_value(3 * 21), None);
    assert_eq!(LennardJones::optimum_position(6, 0), None);
}
