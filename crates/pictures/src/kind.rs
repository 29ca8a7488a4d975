//! The kind and the format of a picture, from a file's name.

use std::path::Path;

use crate::{Along, Error};

/// A kind of picture of an optimisation.
///
/// ```
/// use std::path::Path;
/// use warpswarm_pictures::{Along, Format, Kind};
/// let of = |name: &str| Kind::of(Path::new(name)).ok();
/// assert_eq!(of("out/convergence-seconds.svg"), Some((Kind::Convergence(Along::Seconds), Format::Svg)));
/// assert_eq!(of("my-swarm.gif"), Some((Kind::Swarm, Format::Gif)));
/// assert_eq!(of("distribution.gif"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The convergence of the best value: [`convergence`](fn@crate::convergence).
    Convergence(Along),
    /// The distribution of final values: [`distribution`](fn@crate::distribution).
    Distribution,
    /// The best points of all runs: [`parameters`](fn@crate::parameters).
    Parameters,
    /// The distance of constraints from their limits: [`constraints`](fn@crate::constraints).
    Constraints,
    /// Models at the best point with the data: [`fit`](fn@crate::fit).
    Fit,
    /// The last population in two dimensions: [`population`](fn@crate::population).
    Population,
    /// The population over its iterations: [`frames`](fn@crate::frames), [`animation`](fn@crate::animation).
    Swarm,
}

/// A format of pictures.
///
/// ```
/// use std::path::Path;
/// use warpswarm_pictures::Format;
/// assert_eq!(Format::of(Path::new("a.PNG")), Some(Format::Png));
/// assert_eq!(Format::of(Path::new("a.pdf")), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Scalable vector graphics.
    Svg,
    /// A PNG image.
    Png,
    /// An animated GIF, for [`Kind::Swarm`] only.
    Gif,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 9] = [
        Kind::Convergence(Along::Iterations),
        Kind::Convergence(Along::Evaluations),
        Kind::Convergence(Along::Seconds),
        Kind::Distribution,
        Kind::Parameters,
        Kind::Constraints,
        Kind::Fit,
        Kind::Population,
        Kind::Swarm,
    ];

    /// The file's name for this kind, without its extension.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Convergence(Along::Iterations) => "convergence",
            Kind::Convergence(Along::Evaluations) => "convergence-evaluations",
            Kind::Convergence(Along::Seconds) => "convergence-seconds",
            Kind::Distribution => "distribution",
            Kind::Parameters => "parameters",
            Kind::Constraints => "constraints",
            Kind::Fit => "fit",
            Kind::Population => "population",
            Kind::Swarm => "swarm",
        }
    }

    /// What it shows, in a few words.
    ///
    /// ```
    /// use warpswarm_pictures::Kind;
    /// assert_eq!(Kind::Population.shows(), "the last population");
    /// ```
    pub const fn shows(self) -> &'static str {
        match self {
            Kind::Convergence(Along::Iterations) => "the best value over the iterations",
            Kind::Convergence(Along::Evaluations) => "the best value over the evaluations",
            Kind::Convergence(Along::Seconds) => "the best value over the seconds",
            Kind::Distribution => "the final values of all runs",
            Kind::Parameters => "the best points within their bounds",
            Kind::Constraints => "how near the constraints are to their limits",
            Kind::Fit => "the model beside the data",
            Kind::Population => "the last population",
            Kind::Swarm => "the population over its iterations",
        }
    }

    /// The kind and the format that the name of a file asks for. The name is that of a kind, or ends in it, as
    /// `run1-swarm` does. Any other name gives [`Kind::Convergence`], or [`Kind::Swarm`] if the file ends in `.gif`.
    ///
    /// # Errors
    ///
    /// If its extension belongs to no format, or the kind does not have the format; the message says what is allowed.
    pub fn of(path: &Path) -> Result<(Kind, Format), Error> {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
        let format = Format::of(path)
            .ok_or_else(|| Error::Name("a file that ends in .svg, .png or (swarm) .gif".into()))?;
        let usual = if format == Format::Gif { Kind::Swarm } else { Kind::ALL[0] };
        let kind = Kind::ALL.into_iter().find(|kind| is_named(stem, kind.name())).unwrap_or(usual);
        if format == Format::Gif && kind != Kind::Swarm {
            return Err(Error::Name(format!(
                "{0}.svg or {0}.png; only swarm can be a GIF",
                kind.name()
            )));
        }
        Ok((kind, format))
    }
}

/// Whether the name of a file, without its ending, is that of a kind, or ends in it: as a word of its own, as in `run1-swarm`,
/// `run1_swarm` and `run1.swarm`.
///
/// ```
/// use warpswarm_pictures::is_named;
/// assert!(is_named("swarm", "swarm") && is_named("run1-swarm", "swarm"));
/// assert!(!is_named("outfit", "fit") && !is_named("swarm-1", "swarm"));
/// ```
pub fn is_named(stem: &str, kind: &str) -> bool {
    let before = stem.strip_suffix(kind);
    before.is_some_and(|before| before.is_empty() || before.ends_with(['-', '_', '.', ' ']))
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Svg, Format::Png, Format::Gif];

    /// The format for a file's name, by its extension.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?;
        Format::ALL.into_iter().find(|format| ending.eq_ignore_ascii_case(format.name()))
    }

    /// The extension of a file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Gif => "gif",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_kind_and_its_ending_the_format() {
        for kind in Kind::ALL {
            let file = format!("some.folder/{}.svg", kind.name());
            assert_eq!(Kind::of(Path::new(&file)).unwrap(), (kind, Format::Svg));
        }
        let of = |name: &str| Kind::of(Path::new(name)).unwrap();
        assert_eq!(of("a/swarm.GIF"), (Kind::Swarm, Format::Gif));
        assert_eq!(of("run1-swarm.svg"), (Kind::Swarm, Format::Svg));
        assert_eq!(of("my_constraints.png"), (Kind::Constraints, Format::Png));
        assert_eq!(
            of("a-convergence-seconds.svg"),
            (Kind::Convergence(Along::Seconds), Format::Svg)
        );
        for other in ["outfit.svg", "swarm-1.svg", "constraint.svg"] {
            assert_eq!(of(other), (Kind::Convergence(Along::Iterations), Format::Svg));
        }
        assert_eq!(of("mine.png"), (Kind::Convergence(Along::Iterations), Format::Png));
        assert_eq!(of("mine.gif"), (Kind::Swarm, Format::Gif));
    }

    #[test]
    fn what_cannot_be_drawn_is_told_with_what_is_allowed() {
        for name in ["convergence", "convergence.pdf", "svg", ".svg", "", "swarm.gif.bak"] {
            let message = Kind::of(Path::new(name)).unwrap_err().to_string();
            assert!(message.contains(".svg, .png"), "{message}");
        }
        let message = Kind::of(Path::new("parameters.gif")).unwrap_err().to_string();
        assert_eq!(message, "allowed: parameters.svg or parameters.png; only swarm can be a GIF");
    }
}
