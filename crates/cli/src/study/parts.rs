//! The notation of problems and entrants in a list: `NAME[:KEY=VALUE...]`.

use crate::failure::Failure;

/// The name, and the keys with their values.
pub(super) type Parts<'a> = (&'a str, Vec<(&'a str, &'a str)>);

/// Splits an item of the list of an option into its parts.
pub(super) fn parts<'a>(option: &str, text: &'a str) -> Result<Parts<'a>, Failure> {
    let text = text.trim();
    // A colon after a single letter belongs to the drive letter of a path.
    let drive = if text.get(1..2) == Some(":") { 2 } else { 0 };
    let end = text[drive..].find(':').map_or(text.len(), |end| drive + end);
    let (name, settings) = text.split_at(end);
    let settings = settings.split(':').skip(1);
    let pair = |part: &'a str| {
        part.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
            Failure::Input(format!(
                "{option} has `{text}`, of which `{part}` is not a setting; allowed: NAME[:KEY=VALUE...]"
            ))
        })
    };
    Ok((name, settings.map(pair).collect::<Result<_, _>>()?))
}

/// Refuses a list that contains a name twice.
pub(super) fn different<'a>(
    option: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Failure> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Failure::Input(format!(
                "{option} has `{name}` twice; allowed: each name once, and {name}:name=ANOTHER"
            )));
        }
        seen.push(name);
    }
    Ok(())
}
