//! The distribution or loss of residuals, by name.

use warpswarm_core::fit::{Loss, Scatter};

use crate::error::{Error, Result};

/// The losses by their names.
const LOSSES: [(&str, Option<Loss>); 5] = [
    ("linear", Some(Loss::Linear)),
    ("huber", Some(Loss::Huber)),
    ("soft-l1", Some(Loss::SoftL1)),
    ("cauchy", Some(Loss::Cauchy)),
    ("poisson", None),
];

/// The distribution or loss of residuals by name: `linear`, `huber`, `soft-l1` or `cauchy`, with the residual in
/// standard deviations from which the last three grow more slowly than squares (1 by default); or `poisson`, for
/// counts.
///
/// ```
/// use warpswarm::fit::{Loss, Scatter, scatter};
/// assert_eq!(scatter("huber", Some(2.0))?, Scatter::Residuals { loss: Loss::Huber, scale: 2.0 });
/// assert_eq!(scatter("poisson", None)?, Scatter::Counts);
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// If there is no such loss, or the scale is not allowed for it.
pub fn scatter(loss: &str, scale: Option<f64>) -> Result<Scatter> {
    let found = LOSSES.iter().find(|(known, _)| *known == loss.replace('_', "-"));
    let Some((_, found)) = found else {
        let known: Vec<&str> = LOSSES.iter().map(|(name, _)| *name).collect();
        let value = format!("{:?}", loss.chars().take(40).collect::<String>());
        let allowed = known.join(", ");
        return Err(Error::Setting { field: "loss", value, allowed });
    };
    let slow = found.filter(|loss| *loss != Loss::Linear);
    if let Some(scale) =
        scale.filter(|&scale| slow.is_none() || !(scale.is_finite() && scale > 0.0))
    {
        let allowed = if slow.is_some() {
            "a number above 0"
        } else {
            "with huber, soft-l1 or cauchy, which grow more slowly than squares"
        };
        let value = scale.to_string();
        return Err(Error::Setting { field: "loss_scale", value, allowed: allowed.into() });
    }
    Ok(match found {
        None => Scatter::Counts,
        Some(loss) => Scatter::Residuals { loss: *loss, scale: scale.unwrap_or(1.0) },
    })
}
