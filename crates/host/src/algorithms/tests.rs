//! Tests of every parameter of every algorithm.

use super::parameters::{Field, Params};
use super::*;
use crate::{Bounds, HostObjective, Optimiser, Settings};

/// A valid value, as text, that differs from the parameter's default.
fn another(parameter: &ParameterInfo) -> &str {
    let values = match parameter.range.as_str() {
        range if range.starts_with("a whole number") => vec!["2", "3"],
        range if range.starts_with("a number") || range.starts_with("a finite number") => {
            vec!["0.4", "0.6"]
        }
        names => names.split(", ").flat_map(|part| part.split(" or ")).collect(),
    };
    let default = parameter.default.to_string();
    values.into_iter().find(|value| *value != default).unwrap()
}

fn is_default<P: Default + PartialEq>(params: &P) -> bool {
    *params == P::default()
}

#[test]
fn defaults_and_presets_come_back_from_their_texts() {
    for info in ALL {
        assert!(with_params!(&info.algorithm(), params => is_default(params)), "{}", info.id);
        let parameters = info.parameters();
        let shown = parameters.iter().map(|parameter| (parameter.name, parameter.default));
        assert_eq!(shown.collect::<Vec<_>>(), info.algorithm().parameters(), "{}", info.id);
        for preset in info.presets {
            let expected = preset.algorithm();
            expected.check().unwrap();
            let mut algorithm = info.presets.last().unwrap().algorithm();
            for (name, value) in expected.parameters() {
                algorithm.set(name, &value.to_string()).unwrap();
            }
            assert_eq!(algorithm, expected, "preset {} of {}", preset.name, info.id);
        }
    }
}

#[test]
fn a_parameter_is_set_alone() {
    for info in ALL {
        for (i, parameter) in info.parameters().iter().enumerate() {
            let mut algorithm = info.algorithm();
            let mut expected = algorithm.parameters();
            let value = another(parameter);
            algorithm.set(parameter.name, value).unwrap();
            let changed = algorithm.parameters();
            assert_eq!(changed[i].1.to_string(), value, "{} of {}", parameter.name, info.id);
            expected[i] = changed[i];
            assert_eq!(changed, expected, "{} of {}", parameter.name, info.id);
        }
    }
}

/// Puts a wrong value into the field of a parameter and returns it as text; `None` if the value is not wrong for its
/// range.
fn spoil<P: Params>(params: &mut P, parameter: usize, wrong: f64) -> Option<String> {
    let parameter = &P::PARAMETERS[parameter];
    let range = parameter.range(*params);
    let allowed = match range.as_str() {
        "a finite number" => wrong.is_finite(),
        "a finite number of at least 0" => wrong.is_finite() && wrong >= 0.0,
        // Ranges that have an upper limit.
        _ if wrong > 0.0 && range.contains("at most 1") => wrong <= 1.0,
        _ if wrong >= 0.0 && range.contains("from 0 to 1e30") => wrong <= 1e30,
        _ if wrong >= 0.0 && range.contains("from 0 to 1") => wrong <= 1.0,
        _ => wrong > 0.0 && wrong.is_finite(),
    };
    match &parameter.field {
        Field::Number(_, at) if !allowed => *at(params) = wrong,
        Field::Limit(at) if wrong.is_nan() || wrong <= 0.0 => *at(params) = Some(wrong),
        Field::Whole(_, at) if wrong == 0.0 && range.contains("from 1") => *at(params) = 0,
        _ => return None,
    }
    Some(wrong.to_string())
}

/// A parameter out of its range is also refused if it was set in its field and not by name.
#[test]
fn no_field_is_used_unchecked() {
    let bounds = Bounds::uniform(2, -1.0, 1.0).unwrap();
    let settings = Settings { individuals: 100, ..Settings::default() };
    let asked = HostObjective::new(|_: &[f32]| -> f32 { panic!("asked") });
    let mut spoiled = 0;
    for info in ALL {
        for (parameter, ParameterInfo { name, .. }) in info.parameters().into_iter().enumerate() {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5, 0.0, 1.5, 1.1e30] {
                let mut algorithm = info.algorithm();
                let value = with_params!(&mut algorithm, p => spoil(p, parameter, wrong));
                let Some(value) = value else { continue };
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
