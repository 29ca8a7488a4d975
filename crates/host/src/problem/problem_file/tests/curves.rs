//! Models that are fitted: reading, the value of the sum, and mistakes.

use crate::error::Error;
use crate::fit::{FitSettings, FitStatus};
use crate::problem::problem_file::ProblemFile;

/// A file with these lines above its tables: rows t = 1, 2, 3 with y = 2, 5, 20 and sigma s = 1, 2, 4.
fn file(above: &str) -> Result<ProblemFile, Error> {
    ProblemFile::parse(&format!(
        "{above}\n[variables]\na = {{ lower = -9, upper = 9 }}\nb = {{ lower = -9, upper = 9 }}\n[constants]\nk = 2\n\
         [data]\nt = [1, 2, 3]\ny = [2, 5, 20]\ns = [1, 2, 4]\nlong = [1, 2, 3, 4]\nbad = [1, 0, 2]\nneg = [1, -2, 3]\n\
         [let]\nline = \"a * t[i] + b for i in t\""
    ))
}

/// The objective at a = 2, b = 0, where the residuals of a line are 0, -1 and -14.
fn sum(above: &str) -> f64 {
    let problem = file(above).unwrap_or_else(|error| panic!("{above}: {error}"));
    problem.evaluate(&[2.0, 0.0]).unwrap().fitness.value
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found}, not {wanted}");
}

#[test]
fn sums_are_those_of_the_loss() {
    near(sum("fit = 'y ~ a * t + b'"), 1.0 + 196.0);
    // A named expression that is an array, and a fixed index.
    near(sum("fit = 'y ~ line'"), 197.0);
    near(sum("fit = 'y ~ a * t + b + 0 * t[3]'"), 197.0);
    near(sum("fit = 'y ~ a * t + b'\nsigma = 's'"), 0.25 + 196.0 / 16.0);
    near(sum("fit = 'y ~ a * t + b'\nsigma = 2"), 197.0 / 4.0);
    near(sum("fit = 'y ~ a * t + b'\nsigma = 'k * s'"), (0.25 + 196.0 / 16.0) / 4.0);
    near(sum("fit = 'y ~ a * t + b'\nweights = 's'"), 2.0 + 4.0 * 196.0);
    // C^2 rho(z): with C = 7, z = 1 / 49 and 4.
    let scaled = |loss| sum(&format!("fit = 'y ~ a * t + b'\nloss = '{loss}'\nloss_scale = 7"));
    near(scaled("huber"), 1.0 + 49.0 * 3.0);
    near(scaled("soft-l1"), 98.0 * ((1.0_f64 + 1.0 / 49.0).sqrt() - 1.0 + 5.0_f64.sqrt() - 1.0));
    near(scaled("cauchy"), 49.0 * ((1.0_f64 / 49.0).ln_1p() + 5.0_f64.ln()));
    // 2 (m - y - y ln(m / y)) of means 2, 4 and 6.
    let poisson = 2.0 * (4.0 - 5.0 - 5.0 * 0.8_f64.ln()) + 2.0 * (6.0 - 20.0 - 20.0 * 0.3_f64.ln());
    near(sum("fit = 'y ~ a * t + b'\nloss = 'poisson'"), poisson);
    near(sum("fits = ['y ~ a * t + b', 'ln(y) ~ a']"), {
        197.0 + [2.0_f64, 5.0, 20.0].iter().map(|y| (2.0 - y.ln()).powi(2)).sum::<f64>()
    });
}

#[test]
fn mistakes_in_fits_are_said() {
    let says = |above: &str, part: &str| {
        let error = match file(above) {
            Err(error) => error,
            Ok(problem) => problem.fit_models::<f64>(&FitSettings::default()).unwrap_err(),
        };
        let message = error.to_string();
        assert!(message.contains(part), "{part:?} is not in {message}");
    };
    says("fit = 'a * t'", "no `~` in it");
    says("fit = 'yy ~ a * t'", "`yy` has no column of data in it; did you mean `y`?");
    says("fit = 'y[i] ~ a * t'", "`y[i]` has no column of data in it; did you mean `y`?");
    says("fit = 'y ~ a * t[i]'", "unknown name `i`; columns of a fit have no index: write `t`");
    says("fit = 'k ~ a * t'", "`k` has no column of data in it");
    says("fit = 'a ~ y'", "`a` is not data");
    says("fit = 'y ~ a * long'", "`long` has 4 numbers and what was observed has 3");
    says("fit = 'y ~ a * q'", "unknown name `q`");
    says("fit = 'y ~ a * t'\nminimise = 'a'", "minimise and fit are two objectives");
    says("fit = 3", "fit is none; allowed: a column, `~` and a model in quotes");
    says(
        "fit = 'y ~ a * t + b'\nsigma = 'bad'",
        "sigma: `bad` is 0 in row 2; allowed: numbers above 0",
    );
    says(
        "fit = 'y ~ a * t + b'\nweights = 'neg'",
        "weights: `neg` is -2 in row 2; allowed: finite numbers from 0 on",
    );
    says("fit = 'y ~ a * t + b'\nsigma = 'a'", "`a` is not data");
    says("fit = 'y ~ a * t + b'\nsigma = 's'\nweights = 's'", "sigma and weights say the same");
    says(
        "fit = 'neg ~ a * t + b'\nloss = 'poisson'",
        "`neg` is -2 in row 2; allowed: counts from 0 on",
    );
    says("fit = 'ln(neg) ~ a * t + b'", "`ln(neg)` is NaN in row 2; allowed: finite numbers");
    says(
        "fit = 'y ~ a * t + b'\nloss = 'absolute'",
        "loss is \"absolute\"; allowed: linear, huber",
    );
    says("fit = 'y ~ a * t + b'\nloss_scale = 2", "with huber, soft-l1 or cauchy");
    says(
        "fit = 'y ~ a * t + b'\nloss = 'huber'\nloss_scale = 0",
        "loss_scale is 0; allowed: a number above 0",
    );
    says("minimise = 'a'\nsigma = 's'", "sigma belongs to a fit");
    says("minimise = 'a'", "there is no model to fit");
    says("fit = 'y ~ a * t'", "`b` does not change what the model predicts");
}

#[test]
fn settings_of_fits_are_checked() {
    let line = file("fit = 'y ~ a * t + b'").unwrap();
    let says = |settings: FitSettings, part: &str| {
        let message = line.fit_models::<f64>(&settings).unwrap_err().to_string();
        assert!(message.contains(part), "{part:?} is not in {message}");
    };
    let usual = FitSettings::default;
    says(
        FitSettings { start: vec![1.0], ..usual() },
        "start is 1; allowed: 2, one for each parameter",
    );
    says(
        FitSettings { start: vec![1.0, 10.0], ..usual() },
        "start is 10 for `b`; allowed: between its bounds, -9 and 9",
    );
    says(FitSettings { rows: vec![1], ..usual() }, "rows is 1; allowed: at least 2");
    says(FitSettings { limits: vec![[0.0, 1.0]], ..usual() }, "limits is 1; allowed: 2");
    says(FitSettings { ftol: Some(1.0), ..usual() }, "ftol is 1; allowed: from 0 to below 1");
    says(FitSettings { starts: Some(0), ..usual() }, "starts is 0; allowed: 1 to 65536");
}

#[test]
fn a_bound_and_what_is_undetermined_are_said() {
    // The data determine only the product.
    let fits = file("fit = 'y ~ a * b * t'").unwrap().fit_models::<f64>(&FitSettings::default());
    let fits = fits.unwrap();
    let fit = fits.get(0).unwrap();
    assert_eq!(fit.status(), FitStatus::Undetermined);
    assert_eq!(fit.undetermined().collect::<Vec<_>>(), ["a", "b"]);
    assert!(fit.errors()[0].is_infinite());
    let fits =
        file("fit = 'y ~ a * t + b + 20'").unwrap().fit_models::<f64>(&FitSettings::default());
    let fits = fits.unwrap();
    let fit = fits.get(0).unwrap();
    // Without bounds b would be -29.
    assert_eq!(
        (fit.status(), fit.at_bounds().collect::<Vec<_>>()),
        (FitStatus::AtBound, vec!["b"])
    );
    assert_eq!(fit.parameters()[1], -9.0);
}
