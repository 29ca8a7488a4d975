//! Valid names of a crate.

use std::path::Path;

/// Names that have another meaning for Rust, cargo or the template.
const TAKEN: [&str; 65] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "main",
    "match",
    "mod",
    "move",
    "mut",
    "objective",
    "override",
    "priv",
    "proc-macro",
    "proc_macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "warpswarm",
    "where",
    "while",
    "yield",
    "_",
];

/// The name of the crate: that of its folder.
pub(super) fn of(path: &Path) -> Result<String, String> {
    let last = path.file_name().unwrap_or(path.as_os_str());
    let name = last.to_string_lossy();
    let allowed = "allowed: a letter, then letters, digits, - and _, and neither a word of Rust's, nor \
                   a folder of cargo's, nor the name of one of the crate's own parts or of warpswarm's";
    let lower = name.to_ascii_lowercase();
    // Also refuses the names of this project's packages.
    let is_taken =
        TAKEN.contains(&lower.as_str()) || lower.replace('_', "-").starts_with("warpswarm-");
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !starts || !goes_on || is_taken {
        return Err(format!("PATH ends with `{name}`, which cannot be a crate's name; {allowed}"));
    }
    Ok(name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for good in ["fit", "my-fit", "my_fit2", "A", "x/y/fit"] {
            assert!(of(Path::new(good)).is_ok(), "{good}");
        }
        for bad in [
            "2fit",
            "-fit",
            "_fit",
            "my fit",
            "fit.rs",
            "größe",
            "fn",
            "Self",
            "test",
            "objective",
            "build",
            "deps",
            "examples",
            "incremental",
            "warpswarm-core",
            "warpswarm_device",
        ] {
            let message = of(Path::new(bad)).unwrap_err();
            assert!(
                message.contains(&format!("`{bad}`")) && message.contains("allowed"),
                "{message}"
            );
        }
        assert!(of(Path::new("/")).unwrap_err().contains("`/`"));
    }
}
