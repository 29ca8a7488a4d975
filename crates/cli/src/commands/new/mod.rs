//! `warpswarm new`: writes a small crate with an objective of its own, to be changed into what one needs.

mod library;
mod name;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::args::NewArgs;
use crate::failure::{Code, Failure, SUCCESS};
use library::Library;

/// The files of the crate. None is called `Cargo.toml` here: cargo would take its folder for a package
/// of its own and leave it out of this one.
const FILES: [(&str, &str); 10] = [
    ("Cargo.toml", include_str!("../../../templates/new/Cargo.toml.in")),
    ("README.md", include_str!("../../../templates/new/README.md.in")),
    (".gitignore", include_str!("../../../templates/new/gitignore.in")),
    ("build.rs", include_str!("../../../templates/new/build.rs.in")),
    ("points.csv", include_str!("../../../templates/new/points.csv.in")),
    ("src/lib.rs", include_str!("../../../templates/new/src/lib.rs.in")),
    ("src/main.rs", include_str!("../../../templates/new/src/main.rs.in")),
    ("tests/same_bits.rs", include_str!("../../../templates/new/tests/same_bits.rs.in")),
    ("objective/Cargo.toml", include_str!("../../../templates/new/objective/Cargo.toml.in")),
    ("objective/src/lib.rs", include_str!("../../../templates/new/objective/src/lib.rs.in")),
];

/// Writes the crate, and says what to do with it.
pub(crate) fn run(args: &NewArgs) -> Result<Code, Failure> {
    let (path, name, library) = asked(args)?;
    write_all(&path, &name, &library).map_err(|error| cannot(&args.path, &error))?;

    let mut out = io::stdout().lock();
    writeln!(
        out,
        "wrote the crate `{name}`: a peak fitted to measured points, in {}",
        args.path.display()
    )?;
    writeln!(out, "\n  cd {}", args.path.display())?;
    writeln!(out, "  cargo run --release   the fit, on the CPU at once")?;
    writeln!(
        out,
        "  cargo run --release -- --plot convergence.png   and how it went, as a picture"
    )?;
    writeln!(out, "  cargo test            CPU, emulated GPU and GPU give the same bits")?;
    writeln!(
        out,
        "  warpswarm setup       once, to compile the objective for GPUs too; then build again"
    )?;
    writeln!(out, "\nobjective/src/lib.rs is what is minimised.")?;
    Ok(SUCCESS)
}

/// Where the crate will be, its name, and where it takes the library from.
pub(crate) fn asked(args: &NewArgs) -> Result<(PathBuf, String, Library), Failure> {
    let path = std::path::absolute(&args.path).map_err(|error| cannot(&args.path, &error))?;
    // Cleans the path of `.` and `..` as far as it is there; what is not there yet has a name.
    let path = fs::canonicalize(&path).unwrap_or(path);
    let name = name::of(&path).map_err(Failure::Input)?;
    is_free(&args.path, &path)?;
    let library = Library::find(args.library.as_deref()).map_err(Failure::Input)?;
    Ok((path, name, library))
}

/// Refuses what is there already, other than an empty folder.
fn is_free(given: &Path, path: &Path) -> Result<(), Failure> {
    let is = |what: &str| {
        let given = given.display();
        Failure::Input(format!(
            "PATH is {given}, {what}; allowed: a path that does not exist, or an empty folder"
        ))
    };
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(is("a folder that is not empty")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(is("which is no folder")),
        Err(error) => Err(cannot(given, &error)),
    }
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(format!(
        "PATH is {}, which cannot be written ({error}); allowed: a path in a folder that you may write to",
        path.display()
    ))
}

/// Writes everything beside the path, and moves it there when it is complete.
fn write_all(path: &Path, name: &str, library: &Library) -> io::Result<()> {
    let parent = path.parent().unwrap_or(path);
    let made = missing_folders(parent);
    let written = fs::create_dir_all(parent).and_then(|()| {
        let staging = tempfile::Builder::new().prefix(".warpswarm-new-").tempdir_in(parent)?;
        let folder = staging.path().join("new");
        for (file, text) in FILES {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap_or(&folder))?;
            fs::write(file, filled(text, name, library))?;
        }
        if !path.exists() {
            return fs::rename(&folder, path);
        }
        // The empty folder may be the one that somebody works in: it stays the same.
        fs::read_dir(&folder)?.try_for_each(|entry| {
            let entry = entry?;
            fs::rename(entry.path(), path.join(entry.file_name()))
        })
    });
    if written.is_err() {
        // From the innermost on; one that somebody has put something into stays.
        made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    written
}

/// The folders of a path that are not there, the innermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

/// A template with names and versions in it.
fn filled(text: &str, name: &str, library: &Library) -> String {
    text.replace("{{name}}", name)
        .replace("{{crate}}", &name.replace('-', "_"))
        .replace("{{version}}", &library.version)
        .replace("{{rust}}", env!("CARGO_PKG_RUST_VERSION"))
        .replace("{{patch}}\n", &library.patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_completely() {
        let library = Library { version: "0.1".into(), patch: String::new() };
        for (file, text) in FILES {
            let text = filled(text, "my-fit", &library);
            assert!(!text.contains("{{") || file.ends_with(".rs"), "{file}: {text}");
            assert!(!text.contains("{{name}}") && !text.contains("{{crate}}"), "{file}");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{file}");
        }
    }

    #[test]
    fn an_objective_is_short() {
        let lines = include_str!("../../../templates/new/objective/src/lib.rs.in").lines().count();
        assert!(lines < 30, "{lines} lines");
    }
}
