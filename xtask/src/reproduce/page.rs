//! What a reproduction gives: text on the terminal, and a folder with the same as a Markdown page,
//! with records as CSV and pictures as SVG and PNG.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::table::{Table, wrapped};

/// All that a reproduction says.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// What was done, in a few sentences.
    pub(crate) method: String,
    pub(crate) tables: Vec<Table>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) records: Vec<Records>,
}

/// A picture with a title of its own.
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

impl Page {
    /// Prints the text and fills the folder, which is made where there is none.
    pub(crate) fn publish(&self, folder: &Path) -> Result<()> {
        println!("{}\n", wrapped(&self.method, ""));
        for table in &self.tables {
            println!("{}", table.text());
        }
        let written = self.write(folder)?.join(", ");
        println!("{}", wrapped(&format!("written to {}: {written}", folder.display()), ""));
        Ok(())
    }

    /// Writes all files; returns their names.
    fn write(&self, folder: &Path) -> Result<Vec<String>> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut names = Vec::new();
        let mut write = |name: String, bytes: &[u8]| {
            let path = folder.join(&name);
            names.push(name);
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
        };
        write("README.md".into(), self.markdown().as_bytes())?;
        for records in &self.records {
            write(format!("{}.csv", records.name), &records.csv()?)?;
        }
        for figure in &self.figures {
            write(format!("{}.svg", figure.name), figure.svg.as_bytes())?;
            write(format!("{}.png", figure.name), &warpswarm_pictures::png(&figure.svg)?)?;
        }
        Ok(names)
    }

    fn markdown(&self) -> String {
        let method = self.method.replace('*', "\\*");
        let mut parts = vec![format!("# {}\n\n{method}\n", self.title)];
        parts.extend(self.tables.iter().map(Table::markdown));
        parts.extend(self.figures.iter().map(|figure| {
            let Figure { name, title, .. } = figure;
            let (short, _) = title.split_once(':').unwrap_or((title, ""));
            format!("### {title}\n\n![{short}]({name}.svg)\n")
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

    /// That this is a picture that can be drawn.
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

Two runs; \\* is scaled.

### Table 1

| n |
|--:|
| 1 |

### Figure 1: a line

![Figure 1](figure-1.svg)
";
        assert_eq!(page().markdown(), expected);
    }

    #[test]
    fn the_folder_is_filled() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("new");
        let names = page().write(&inner).unwrap();
        assert_eq!(names, ["README.md", "runs.csv", "figure-1.svg", "figure-1.png"]);
        assert_eq!(fs::read_to_string(inner.join("runs.csv")).unwrap(), "n,note\n1,\"a, b\"\n");
        assert!(fs::read(inner.join("figure-1.png")).unwrap().starts_with(b"\x89PNG"));
    }

    #[test]
    fn a_record_of_the_wrong_length_is_an_error() {
        let mut records = page().records.remove(0);
        records.rows.push(vec!["1".into()]);
        assert!(records.csv().is_err());
    }
}
