//! `warpswarm new`: writes a small crate with an objective, as a template for the user's own.

mod library;
mod name;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::args::NewArgs;
use crate::failure::{Code, Failure, SUCCESS};
use library::Library;

/// The files of the crate. The templates do not contain a file `Cargo.toml`: cargo would treat its folder as a separate
/// package and leave it out of this one.
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

/// Writes the crate and prints how to use it.
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
    writeln!(
        out,
        "\nobjective/src/lib.rs is what is minimised; README.md says what to change for another one."
    )?;
    Ok(SUCCESS)
}

/// The path of the crate, its name, and its library.
pub(crate) fn asked(args: &NewArgs) -> Result<(PathBuf, String, Library), Failure> {
    let path = std::path::absolute(&args.path).map_err(|error| cannot(&args.path, &error))?;
    // Resolves `.` and `..` in an existing path. A path that does not exist yet ends with a name.
    let path = fs::canonicalize(&path).unwrap_or(path);
    let name = name::of(&path).map_err(Failure::Input)?;
    is_free(&args.path, &path)?;
    let library = Library::find(args.library.as_deref()).map_err(Failure::Input)?;
    Ok((path, name, library))
}

/// Refuses an existing path, unless it is an empty folder.
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
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(is("which is not a folder"))
        }
        Err(error) => Err(cannot(given, &error)),
    }
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(format!(
        "PATH is {}, which cannot be written ({error}); allowed: a path in a folder that you may write to",
        path.display()
    ))
}

/// Writes all files to a temporary folder beside the path, and moves them when they are complete.
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
        // The empty folder may be the user's working directory, so it is kept and filled.
        fs::read_dir(&folder)?.try_for_each(|entry| {
            let entry = entry?;
            fs::rename(entry.path(), path.join(entry.file_name()))
        })
    });
    if written.is_err() {
        // Removes the created folders, the innermost first. Folders that are no longer empty remain.
        made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    written
}

/// The folders of a path that do not exist, the innermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

/// A template with its placeholders replaced.
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
        assert!(lines <= 30, "{lines} lines");
    }
}
