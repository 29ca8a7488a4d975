//! `warpswarm report`: makes a web page of run folders.
//!
//! * [`folder`]: reads the folders that `solve --out` has written; [`contours`]: the background of a moving swarm.
//! * [`page`]: makes the page.
//! * [`speed`]: a picture of speed-ups.

mod contours;
mod folder;
mod page;
mod speed;

use std::io::{self, Write};
use std::path::Path;

use folder::Folder;

use crate::args::ReportArgs;
use crate::failure::{Code, Failure, SUCCESS};
use crate::output;
use crate::output::files::Files;

/// Reads the folders and writes the page.
pub(crate) fn run(args: &ReportArgs) -> Result<Code, Failure> {
    let (page, picture) = made(args)?;
    let mut files = Files::new();
    for folder in &args.folders {
        folder::FILES.iter().for_each(|name| files.reads("a run's", &folder.join(name)));
    }
    let file = files.new_output("--out", &args.out, args.force)?;
    let plot = args.plot.as_ref().map(|plot| files.output("--plot", &plot.path)).transpose()?;
    file.write(&mut |out| out.write_all(page.as_bytes()))?;
    if let (Some(asked), Some(file), Some(bytes)) = (&args.plot, &plot, picture) {
        output::plot::write(asked, file, Ok(bytes), false)?;
    }
    writeln!(io::stdout(), "written to {}", args.out.display())?;
    Ok(SUCCESS)
}

/// The page, and the bytes of the picture if one is requested.
pub(crate) fn made(args: &ReportArgs) -> Result<(String, Option<Vec<u8>>), Failure> {
    let mut folders =
        args.folders.iter().map(|path| Folder::read(path)).collect::<Result<Vec<_>, _>>()?;
    name(&mut folders, &args.folders);
    let (maximised, minimised): (Vec<_>, Vec<_>) =
        folders.iter().partition(|folder| folder.result.maximised);
    if let (Some(more), Some(less)) = (maximised.first(), minimised.first()) {
        return Err(Failure::Input(format!(
            "DIR is {}, whose problem is maximised, and {}, whose problem is minimised; allowed on one page: \
             one of the two",
            more.name, less.name
        )));
    }
    let picture = args.plot.as_ref().map(|plot| speed::bytes(plot, &folders)).transpose()?;
    Ok((page::html(&folders), picture))
}

/// Names folders by the last part of their paths, or by the whole path if that is not unique.
fn name(folders: &mut [Folder], paths: &[impl AsRef<Path>]) {
    let last = |path: &Path| {
        path.file_name().map_or(path.display().to_string(), |name| name.to_string_lossy().into())
    };
    let names: Vec<String> = paths.iter().map(|path| last(path.as_ref())).collect();
    for (i, folder) in folders.iter_mut().enumerate() {
        let is_unique = names.iter().filter(|name| **name == names[i]).count() == 1;
        folder.name =
            if is_unique { names[i].clone() } else { paths[i].as_ref().display().to_string() };
    }
}
