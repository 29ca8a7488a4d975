//! The pictures of the gallery are exactly what the commands on its page draw, byte for byte.
//!
//! To write them again: `WARPSWARM_UPDATE_GALLERY=1 cargo test -p warpswarm-cli --test all gallery`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::{program, stderr};

/// The page has at least this many pictures.
const FEWEST: usize = 12;
/// The largest size of a picture, in bytes.
const LARGEST: u64 = 200_000;
/// The largest size of an animation, in bytes.
const LARGEST_GIF: u64 = 300_000;

/// The contents of the page.
#[derive(Debug, Default, PartialEq)]
struct Page {
    /// Files to save and commands to type, in the order of the page.
    steps: Vec<Step>,
    /// The files of all pictures, as they are linked.
    pictures: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Save { name: String, text: String },
    Run(Vec<String>),
}

impl Page {
    fn of(text: &str) -> Page {
        let mut page = Page::default();
        // The text since the last code block.
        let mut prose = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(language) = line.strip_prefix("```") else {
                page.pictures.extend(pictures(line));
                prose.push_str(line);
                prose.push('\n');
                continue;
            };
            let block: String = lines
                .by_ref()
                .take_while(|line| *line != "```")
                .flat_map(|line| [line, "\n"])
                .collect();
            match language {
                "console" => page.steps.extend(commands(&block).map(Step::Run)),
                "toml" | "csv" => {
                    let name = saved_as(&prose).unwrap_or_else(|| panic!("no name: {block}"));
                    page.steps.push(Step::Save { name, text: block });
                }
                other => panic!("a block of {other:?}"),
            }
            prose.clear();
        }
        page
    }

    /// The pictures that commands of the page draw, as paths relative to the reader's folder.
    fn drawn(&self) -> impl Iterator<Item = &str> {
        self.pictures.iter().filter_map(|picture| picture.strip_prefix("gallery/"))
    }
}

/// The files of the pictures in a line: `![description](file)`.
fn pictures(line: &str) -> impl Iterator<Item = String> {
    let links = line.split("![").skip(1).filter_map(|rest| rest.split_once("]("));
    links.filter_map(|(_, rest)| Some(rest.split_once(')')?.0.to_owned()))
}

/// The name in the last "Save this as `name`".
fn saved_as(prose: &str) -> Option<String> {
    let words = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rest) = words.rsplit_once("Save this as `")?;
    Some(rest.split_once('`')?.0.to_owned())
}

/// The arguments of each command in a code block. A line that ends with `\` continues on the next one.
fn commands(block: &str) -> impl Iterator<Item = Vec<String>> {
    let whole = block.replace("\\\n", " ");
    let lines: Vec<String> = whole
        .lines()
        .filter_map(|line| Some(line.strip_prefix("$ warpswarm ")?.to_owned()))
        .collect();
    lines.into_iter().map(|line| line.split_whitespace().map(str::to_owned).collect())
}

/// Saves the files of the page in a folder and runs its commands there.
fn follow(page: &Page, folder: &Path) {
    for step in &page.steps {
        match step {
            Step::Save { name, text } => fs::write(folder.join(name), text).unwrap(),
            Step::Run(arguments) => {
                // Not with `run_in`, which selects another algorithm. The numbers do not depend on the backend.
                let output = program()
                    .args(arguments)
                    .args(["--backend", "cpu"])
                    .current_dir(folder)
                    .stdin(Stdio::null())
                    .output()
                    .unwrap();
                assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
            }
        }
    }
}

/// All files in a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let within = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(within).collect()
}

#[test]
fn pictures_are_those_that_the_commands_draw() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let gallery = docs.join("gallery");
    let page = Page::of(&fs::read_to_string(docs.join("gallery.md")).unwrap());
    let count = page.pictures.len();
    assert!(count >= FEWEST, "{count} pictures, fewer than {FEWEST}");

    let folder = tempfile::tempdir().unwrap();
    follow(&page, folder.path());
    let update = std::env::var_os("WARPSWARM_UPDATE_GALLERY").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for name in page.drawn() {
        let Ok(drawn) = fs::read(folder.path().join(name)) else {
            wrong.push(format!("{name}: no command draws it"));
            continue;
        };
        let most = if name.ends_with(".gif") { LARGEST_GIF } else { LARGEST };
        if drawn.len() as u64 > most {
            wrong.push(format!("{name}: {} bytes, more than {most}", drawn.len()));
        }
        let kept = gallery.join(name);
        if update {
            fs::create_dir_all(kept.parent().unwrap()).unwrap();
            fs::write(&kept, &drawn).unwrap();
        } else if fs::read(&kept).ok() != Some(drawn) {
            wrong.push(format!("{name}: not what its command draws"));
        }
    }
    for path in files(&gallery) {
        if !page.drawn().any(|name| path == gallery.join(name)) {
            wrong.push(format!("{}: not on the page", path.display()));
        }
    }
    let help = "WARPSWARM_UPDATE_GALLERY=1 writes the pictures again";
    assert!(wrong.is_empty(), "{}\n{help}", wrong.join("\n"));
}

#[test]
fn a_page_is_files_and_commands_and_pictures() {
    let text = "\
A bowl: ![a bowl](gallery/bowl.svg) and ![a \"hill\"](examples/hill.svg). Save this
as `not.this`, no: Save this as
`bowl.toml`:

```toml
minimise = \"x^2\"

```

```console
$ ls
$ warpswarm solve bowl.toml \\
    --plot bowl.svg
```
";
    let run = ["solve", "bowl.toml", "--plot", "bowl.svg"].map(str::to_owned).to_vec();
    let save = Step::Save { name: "bowl.toml".into(), text: "minimise = \"x^2\"\n\n".into() };
    let page = Page::of(text);
    assert_eq!(page.steps, [save, Step::Run(run)]);
    assert_eq!(page.pictures, ["gallery/bowl.svg", "examples/hill.svg"]);
    assert_eq!(page.drawn().collect::<Vec<_>>(), ["bowl.svg"]);
}
