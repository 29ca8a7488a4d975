//! Pictures of `--plot`; the name of the file selects the content and the format.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use warpswarm_pictures::{Format, Kind, is_named};

/// A picture with its content and format, which follow from the name of its file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plot<K> {
    pub(crate) path: PathBuf,
    pub(crate) kind: K,
    pub(crate) format: Format,
}

/// The kinds of pictures that a command can draw.
pub(crate) trait Named: Sized {
    /// Returns the kind and the format of a picture with this name, or a message that says what is allowed.
    fn named(path: &Path) -> Result<(Self, Format), String>;

    /// What the picture shows, in a few words.
    fn shows(&self) -> &'static str;
}

impl<K: Named> Plot<K> {
    /// Returns the picture that the name of the file selects.
    pub(crate) fn of(path: OsString) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let (kind, format) = K::named(&path)?;
        Ok(Plot { path, kind, format })
    }
}

impl<K> fmt::Display for Plot<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// Pictures of runs.
impl Named for Kind {
    fn named(path: &Path) -> Result<(Self, Format), String> {
        Kind::of(path).map_err(|error| error.to_string())
    }

    fn shows(&self) -> &'static str {
        Kind::shows(*self)
    }
}

impl Plot<Kind> {
    /// Whether the picture shows the course of the runs.
    pub(crate) fn needs_history(&self) -> bool {
        matches!(self.kind, Kind::Convergence(_))
    }

    /// Whether the picture shows individuals.
    pub(crate) fn shows_individuals(&self) -> bool {
        matches!(self.kind, Kind::Population | Kind::Swarm)
    }

    /// Whether the picture is an animation of moving individuals.
    pub(crate) fn moves(&self) -> bool {
        self.kind == Kind::Swarm
    }
}

/// Pictures of a comparison; any other name selects the performance profiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OfComparison {
    Profile,
    Distribution,
    Ert,
}

impl Named for OfComparison {
    fn named(path: &Path) -> Result<(Self, Format), String> {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
        let kind = match stem {
            stem if is_named(stem, "distribution") => OfComparison::Distribution,
            stem if is_named(stem, "ert") => OfComparison::Ert,
            _ => OfComparison::Profile,
        };
        Ok((kind, still(path)?))
    }

    fn shows(&self) -> &'static str {
        match self {
            OfComparison::Profile => "performance profiles",
            OfComparison::Distribution => "the final values of all runs",
            OfComparison::Ert => "the expected running times",
        }
    }
}

/// The only picture of run folders: the speed-up of each folder over the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OfFolders;

impl Named for OfFolders {
    fn named(path: &Path) -> Result<(Self, Format), String> {
        Ok((OfFolders, still(path)?))
    }

    fn shows(&self) -> &'static str {
        "the speed-up of each folder over the first"
    }
}

/// The format of a picture without animation, from the ending of its file name.
fn still(path: &Path) -> Result<Format, &'static str> {
    let format = Format::of(path).filter(|format| *format != Format::Gif);
    format.ok_or("allowed: a file that ends in .svg or .png")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_kind_and_its_ending_the_format() {
        let of = |path: &str| Plot::of(path.into()).map(|plot| (plot.kind, plot.format));
        assert_eq!(of("a/distribution.svg"), Ok((OfComparison::Distribution, Format::Svg)));
        assert_eq!(of("ert.PNG"), Ok((OfComparison::Ert, Format::Png)));
        assert_eq!(of("profile.svg"), of("mine.svg"));
        for path in ["profile", "profile.gif", "ert.pdf", ""] {
            let allowed = "allowed: a file that ends in .svg or .png";
            assert_eq!(of(path), Err(allowed.into()));
            assert_eq!(Plot::<OfFolders>::of(path.into()), Err(allowed.into()));
        }
        let swarm = Plot::<Kind>::of("swarm.gif".into()).unwrap();
        assert_eq!((swarm.kind, swarm.format), (Kind::Swarm, Format::Gif));
        assert_eq!(of("a/run-1-ert.svg"), Ok((OfComparison::Ert, Format::Svg)));
        assert_eq!(of("my_distribution.png"), Ok((OfComparison::Distribution, Format::Png)));
        assert!(swarm.moves() && swarm.shows_individuals() && !swarm.needs_history());
    }
}
