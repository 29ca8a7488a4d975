//! The output of a reproduction: text on the terminal, and a folder with the same as a Markdown page,
//! records as CSV, and pictures as SVG and PNG.
//!
//! With `page_only`, a PNG has the size of the SVG, instead of twice its width and height. The page states its date,
//! machine, command and version. It shows the smaller file of each picture, so that it can be committed:
//! `docs/papers/results` contains one page per paper.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::made::Made;
use super::table::{Table, wrapped};

/// An SVG file with more bytes than this is shown as a PNG, if that is smaller.
const LARGE: usize = 100 << 10;

/// The contents of a reproduction's output.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// A short description of the method.
    pub(crate) method: String,
    pub(crate) tables: Vec<Table>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) records: Vec<Records>,
}

/// A picture with its title.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// The file's name, without extension.
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) svg: String,
}

/// A CSV file.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    /// The file's name, without extension.
    pub(crate) name: &'static str,
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// The folder for a page, and the selection of its files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folder<'a> {
    pub(crate) path: &'a Path,
    /// The page's name, which is the prefix of all other file names.
    pub(crate) name: &'a str,
    /// Whether to write only the page and its pictures.
    pub(crate) page_only: bool,
}

impl Page {
    /// Prints the text, and writes the files; creates the folder if necessary.
    pub(crate) fn publish(&self, made: &Made, folder: Folder<'_>) -> Result<()> {
        println!("{}\n", wrapped(&made.text(), ""));
        println!("{}\n", wrapped(&self.method, ""));
        for table in &self.tables {
            println!("{}", table.text());
        }
        let written = self.write(made, folder)?.join(", ");
        println!("{}", wrapped(&format!("written to {}: {written}", folder.path.display()), ""));
        Ok(())
    }

    /// Writes all files, and returns their names.
    fn write(&self, made: &Made, folder: Folder<'_>) -> Result<Vec<String>> {
        let Folder { path: folder, name, page_only } = folder;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut names = Vec::new();
        let mut write = |file: String, bytes: &[u8]| {
            let path = folder.join(&file);
            names.push(file);
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
        };
        let mut shown = Vec::new();
        for figure in &self.figures {
            let svg = figure.svg.as_bytes();
            let png = match page_only {
                true => warpswarm_pictures::small_png(&figure.svg)?,
                false => warpswarm_pictures::png(&figure.svg)?,
            };
            let as_png = svg.len() > LARGE && png.len() < svg.len();
            let file = |ending: &str| format!("{name}-{}.{ending}", figure.name);
            shown.push(file(if as_png { "png" } else { "svg" }));
            if !(page_only && as_png) {
                write(file("svg"), svg)?;
            }
            if !page_only || as_png {
                write(file("png"), &png)?;
            }
        }
        write(format!("{name}.md"), self.markdown(made, &shown).as_bytes())?;
        for records in self.records.iter().filter(|_| !page_only) {
            write(format!("{name}-{}.csv", records.name), &records.csv()?)?;
        }
        Ok(names)
    }

    /// The page with the pictures in these files.
    fn markdown(&self, made: &Made, shown: &[String]) -> String {
        let method = self.method.replace('*', "\\*");
        let mut parts = vec![format!("# {}\n\n{}\n{method}\n", self.title, made.markdown())];
        parts.extend(self.tables.iter().map(Table::markdown));
        parts.extend(self.figures.iter().zip(shown).map(|(Figure { title, .. }, file)| {
            let (short, _) = title.split_once(':').unwrap_or((title, ""));
            format!("### {title}\n\n![{short}]({file})\n")
        }));
        parts.join("\n")
    }
}

impl Records {
    pub(crate) fn csv(&self) -> Result<Vec<u8>> {
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(&self.head)?;
        for row in &self.rows {
            out.write_record(row)?;
        }
        out.into_inner().context("cannot write CSV")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::reproduce::made::tests::made;

    /// Checks that this is a valid picture.
    pub(crate) fn assert_whole(svg: &str) {
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        let png = warpswarm_pictures::png(svg).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
    }

    fn page() -> Page {
        let table = Table {
            title: "Table 1".into(),
            groups: vec![],
            columns: vec!["n".into()],
            rows: vec![vec!["1".into()]],
            notes: vec![],
        };
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>"#.into();
        Page {
            title: "A paper, reproduced".into(),
            method: "Two runs; * is scaled.".into(),
            tables: vec![table],
            figures: vec![Figure { name: "figure-1", title: "Figure 1: a line".into(), svg }],
            records: vec![Records {
                name: "runs",
                head: vec!["n", "note"],
                rows: vec![vec!["1".into(), "a, b".into()]],
            }],
        }
    }

    #[test]
    fn as_markdown() {
        let expected = "\
# A paper, reproduced

HEAD
Two runs; \\* is scaled.

### Table 1

| n |
|--:|
| 1 |

### Figure 1: a line

![Figure 1](cpso-figure-1.svg)
";
        let made = made();
        let expected = expected.replace("HEAD\n", &(made.markdown() + "\n"));
        assert_eq!(page().markdown(&made, &["cpso-figure-1.svg".into()]), expected);
    }

    #[test]
    fn the_folder_is_filled() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("new");
        let to = Folder { path: &inner, name: "cpso", page_only: false };
        let names = page().write(&made(), to).unwrap();
        assert_eq!(names, ["cpso-figure-1.svg", "cpso-figure-1.png", "cpso.md", "cpso-runs.csv"]);
        let records = fs::read_to_string(inner.join("cpso-runs.csv")).unwrap();
        assert_eq!(records, "n,note\n1,\"a, b\"\n");
        assert!(fs::read(inner.join("cpso-figure-1.png")).unwrap().starts_with(b"\x89PNG"));
    }

    #[test]
    fn what_is_committed_is_the_page_and_of_each_picture_the_smaller_file() {
        let folder = tempfile::tempdir().unwrap();
        let to = Folder { path: folder.path(), name: "cpso", page_only: true };
        let mut page = page();
        assert_eq!(page.write(&made(), to).unwrap(), ["cpso-figure-1.svg", "cpso.md"]);
        // A picture with many repetitions.
        let dots = r#"<circle cx="4" cy="4" r="3"/>"#.repeat(5_000);
        page.figures[0].svg = page.figures[0].svg.replace("/>", &format!(">{dots}</svg>"));
        assert_eq!(page.write(&made(), to).unwrap(), ["cpso-figure-1.png", "cpso.md"]);
        let text = fs::read_to_string(folder.path().join("cpso.md")).unwrap();
        assert!(text.contains("](cpso-figure-1.png)"), "{text}");
    }

    #[test]
    fn a_record_of_the_wrong_length_is_an_error() {
        let mut records = page().records.remove(0);
        records.rows.push(vec!["1".into()]);
        assert!(records.csv().is_err());
    }
}
