//! The speed-ups of folders: `--plot`.

use warpswarm_pictures::{Picture, speed_up};

use super::folder::Folder;
use crate::args::{OfFolders, Plot};
use crate::failure::Failure;

/// A picture of the evaluations per second of each folder, divided by those of the first folder.
pub(crate) fn bytes(plot: &Plot<OfFolders>, folders: &[Folder]) -> Result<Vec<u8>, Failure> {
    let drawn = picture(plot, folders)?.bytes(plot.format);
    drawn.map_err(|error| Failure::Running(format!("--plot {}: {error}", plot.path.display())))
}

fn picture(plot: &Plot<OfFolders>, folders: &[Folder]) -> Result<Picture, Failure> {
    let refuse =
        |why: String| Failure::Input(format!("--plot is {}, but {why}", plot.path.display()));
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
        // The file may contain any numbers.
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
