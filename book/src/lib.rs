//! Builds the book. It is made of [`pages`] of every algorithm and problem, written from the registry and from the
//! documentation of the code, with [`pictures`] of runs and contours; [`links`], which are checked; and its chapters, whose
//! samples are compiled here.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use mdbook_driver::MDBook;

pub mod links;
pub mod pages;
pub mod pictures;

/// Builds the book in a folder, of which nothing stays that was there, and says where its first page is.
///
/// # Errors
///
/// Where a page cannot be made, or a link leads nowhere.
pub fn build(out: &Path) -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("no repository")?;
    let src = out.join("src");
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| out.display().to_string())?;
    }
    copy(&root.join("docs"), &src)?;
    copy(&root.join("book/book.toml"), &out.join("book.toml"))?;
    pages::write(root, &src)?;
    MDBook::load(out).and_then(|book| book.build()).map_err(|error| error.context("mdBook"))?;
    let broken = links::broken(&out.join("html"))?;
    if !broken.is_empty() {
        bail!("broken links:\n{}", broken.join("\n"));
    }
    Ok(out.join("html/index.html"))
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let name = || from.display().to_string();
    if from.extension().is_some_and(|ending| ending == "md") {
        let text = fs::read_to_string(from).with_context(name)?;
        fs::write(to, pages::chapter(&text)?).with_context(name)?;
        return Ok(());
    }
    if from.is_file() {
        fs::copy(from, to).with_context(name)?;
        return Ok(());
    }
    fs::create_dir_all(to).with_context(name)?;
    for entry in fs::read_dir(from).with_context(name)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The chapters with samples in Rust: `cargo test` compiles and runs them.
#[cfg(doctest)]
mod chapters {
    macro_rules! chapter {
        ($name:ident, $file:literal) => {
            #[doc = include_str!(concat!("../../docs/", $file))]
            mod $name {}
        };
    }
    chapter!(function_in_rust, "tutorials/function-in-rust.md");
    chapter!(a_thousand_runs, "tutorials/a-thousand-runs.md");
    chapter!(constraints, "how-to/constraints.md");
    chapter!(write_a_method, "how-to/write-a-method.md");
    chapter!(read_results, "how-to/read-results.md");
    chapter!(same_bits, "explanation/same-bits.md");
    chapter!(use_gpus, "how-to/use-gpus.md");
    chapter!(run_on_a_cluster, "how-to/run-on-a-cluster.md");
}
