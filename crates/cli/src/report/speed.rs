//! How many times as fast the runs of folders were: `--plot`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use warpswarm_pictures::{Format, Picture, speed_up};

use super::folder::Folder;
use crate::failure::Failure;
use crate::plot::still;

/// A picture to draw.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    path: PathBuf,
    format: Format,
}

impl Plot {
    /// What the file's name asks for.
    pub(crate) fn of(path: OsString) -> Result<Plot, String> {
        let path = PathBuf::from(path);
        let format = still(&path)?;
        Ok(Plot { path, format })
    }

    /// The folders' evaluations a second over those of the first, in the picture's format.
    pub(crate) fn bytes(&self, folders: &[Folder]) -> Result<Vec<u8>, Failure> {
        let drawn = self.picture(folders)?.bytes(self.format);
        drawn.map_err(|error| Failure::Running(format!("--plot {}: {error}", self.path.display())))
    }

    fn picture(&self, folders: &[Folder]) -> Result<Picture, Failure> {
        let refuse =
            |why: String| Failure::Input(format!("--plot is {}, but {why}", self.path.display()));
        let [first, others @ ..] = folders else { return Err(refuse("there is no folder".into())) };
        if others.is_empty() {
            let why = "there is nothing beside DIR; allowed: two folders or more";
            return Err(refuse(why.into()));
        }
        let evaluated = |folder: &Folder| {
            let (problem, dimensions) = (&folder.result.problem, folder.result.dimensions);
            format!("{problem} in {dimensions} dimension{}", if dimensions == 1 { "" } else { "s" })
        };
        let what = evaluated(first);
        for folder in others {
            if evaluated(folder) != what {
                return Err(refuse(format!(
                    "DIR is {}, which is of {what}, and {}, which is of {}; allowed: folders of one problem in as \
                     many dimensions, whose evaluations are the same work",
                    first.name,
                    folder.name,
                    evaluated(folder)
                )));
            }
        }
        let pace = |folder: &Folder| {
            // The file may say any numbers.
            let of_runs = folder.result.runs.iter().map(|run| run.evaluations as f64);
            let evaluations: f64 = of_runs.sum();
            let pace = evaluations / folder.result.seconds;
            let is_known = pace.is_finite() && pace > 0.0;
            is_known.then_some(pace).ok_or_else(|| {
                let (name, seconds) = (&folder.name, folder.result.seconds);
                refuse(format!(
                    "DIR is {name}, with {evaluations} evaluations in {seconds} seconds; allowed: more than 0 of both"
                ))
            })
        };
        let one = pace(first)?;
        let bar = |folder: &Folder| Ok((folder.name.clone(), pace(folder)? / one));
        let bars = folders.iter().map(bar).collect::<Result<Vec<_>, Failure>>()?;
        Ok(speed_up(&format!("Evaluations a second, {what}"), &first.name, &bars))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
