//! A parameter out of its range is refused however it was set: by name, or in its field.

use super::parameters::{Access, FINITE, NOT_NEGATIVE, Params};
use super::*;
use crate::{Bounds, HostObjective, Optimiser, Settings};

/// Puts a wrong value into the field of a parameter; says which, unless the range has no such.
fn spoil<P: Params>(params: &mut P, parameter: usize, wrong: f64) -> Option<String> {
    let range = P::ROWS[parameter].range;
    let allowed = match range {
        FINITE => wrong.is_finite(),
        NOT_NEGATIVE => wrong.is_finite() && wrong >= 0.0,
        // The upper ends that there are.
        _ if wrong > 0.0 && range.contains("at most 1") => wrong <= 1.0,
        _ if wrong >= 0.0 && range.contains("from 0 to 1e30") => wrong <= 1e30,
        _ if wrong >= 0.0 && range.contains("from 0 to 1") => wrong <= 1.0,
        _ => wrong > 0.0 && wrong.is_finite(),
    };
    match &P::ACCESS[parameter] {
        Access::Number(_, put) if !allowed => put(params, wrong),
        Access::Limit(_, put) if wrong.is_nan() || wrong <= 0.0 => put(params, Some(wrong)),
        Access::Whole(_, put) if wrong == 0.0 && range.contains("from 1") => put(params, 0),
        _ => return None,
    }
    Some(wrong.to_string())
}

#[test]
fn no_field_is_used_unchecked() {
    let bounds = Bounds::uniform(2, -1.0, 1.0).unwrap();
    let settings = Settings { individuals: 100, ..Settings::default() };
    let asked = HostObjective::new(|_: &[f32]| -> f32 { panic!("asked") });
    let mut spoiled = 0;
    for info in ALL {
        for parameter in 0..info.parameters.len() {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5, 0.0, 1.5, 1.1e30] {
                let mut algorithm = info.algorithm();
                let value = with_params!(&mut algorithm, p => spoil(p, parameter, wrong));
                let Some(value) = value else { continue };
                let name = info.parameters[parameter].name;
                let error = Optimiser::new(&asked, &bounds, &algorithm, &settings).unwrap_err();
                let said = matches!(&error, Error::Parameter { name: n, value: v, .. } if *n == name && *v == value);
                assert!(said, "{} with {name} = {value}: {error}", info.id);
                spoiled += 1;
            }
        }
    }
    assert!(spoiled > 200, "{spoiled}");
}

#[test]
fn auto_has_the_individuals_of_what_runs() {
    use super::{Algorithm, AutoParams};
    use crate::settings::Settings;
    let auto = Algorithm::from(AutoParams::default());
    for dimensions in [10, 200, 201, 1000] {
        let (_, settings) = auto.completed(&Settings::default(), dimensions);
        assert_eq!(settings.individuals, auto.usual_individuals(dimensions), "{dimensions}");
    }
    assert_eq!([200, 201].map(|dimensions| auto.usual_individuals(dimensions)), [19, 64]);
}
