//! Which names a crate may have.

use std::path::Path;

/// Words that mean something else where a crate's name stands.
const TAKEN: [&str; 63] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "core",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
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
    "warpswarm-kernels",
    "warpswarm-ptx-builder",
    "where",
    "while",
    "yield",
    "_",
];

/// The crate's name: that of its folder.
pub(super) fn of(path: &Path) -> Result<String, String> {
    let last = path.file_name().unwrap_or(path.as_os_str());
    let name = last.to_string_lossy();
    let allowed = "allowed: a letter, then letters, digits, - and _, and neither a word of Rust's nor \
                   the name of one of the crate's own parts";
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !starts || !goes_on || TAKEN.contains(&name.to_ascii_lowercase().as_str()) {
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
        for bad in
            ["2fit", "-fit", "_fit", "my fit", "fit.rs", "größe", "fn", "Self", "test", "objective"]
        {
            let message = of(Path::new(bad)).unwrap_err();
            assert!(
                message.contains(&format!("`{bad}`")) && message.contains("allowed"),
                "{message}"
            );
        }
        assert!(of(Path::new("/")).unwrap_err().contains("`/`"));
    }
}
