//! Whether all ranks can begin, with the same settings.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use warpswarm::{Communicator, Error, Result};

/// What a rank sends to the others before they begin.
#[derive(Deserialize, Serialize)]
struct Said {
    host: String,
    /// The error message, and whether the input is at fault.
    failure: Option<(String, bool)>,
    what: String,
}

/// Returns `made` if every rank has made its value and all have the same `what`: a text whose lines name everything in
/// which ranks must agree, such as the version and the settings. Otherwise all ranks return the same error. A single
/// rank returns its own.
///
/// ```
/// use warpswarm::{Communicator, Error};
/// use warpswarm_islands::{agreed, threads};
/// let on_each = |made: fn(u32) -> Result<u32, Error>, what: fn(u32) -> String| -> Vec<String> {
///     std::thread::scope(|scope| {
///         let ranks = threads(2).into_iter();
///         let ranks: Vec<_> = ranks
///             .map(|others| scope.spawn(move || agreed(&others, &what(others.rank()), made(others.rank()))))
///             .collect();
///         ranks.into_iter().map(|rank| rank.join().unwrap().unwrap_err().to_string()).collect()
///     })
/// };
/// let failed = on_each(|rank| if rank == 1 { Err(Error::NoDriver) } else { Ok(rank) }, |_| String::new());
/// assert_eq!(failed, ["rank 1 on this machine: no NVIDIA driver: the library libcuda was not found"; 2]);
/// let differing = on_each(Ok, |rank| format!("seed = {rank}"));
/// assert_eq!(differing, ["rank 1 on this machine has `seed = 1`, rank 0 `seed = 0`; allowed: the same on all ranks"; 2]);
/// ```
///
/// # Errors
///
/// A single rank returns its own error; several return [`Error::Ranks`].
pub fn agreed<T>(others: &dyn Communicator, what: &str, made: Result<T>) -> Result<T> {
    if others.size() == 1 {
        return made;
    }
    let failure = made.as_ref().err().map(|error| (error.to_string(), error.is_input()));
    let all: Vec<Said> = gather(others, &Said { host: others.host(), failure, what: what.into() })?;
    if let Some((message, input)) = first_failure(&all) {
        return Err(Error::Ranks { message, input });
    }
    match first_difference(&all) {
        Some(message) => Err(Error::Ranks { message, input: true }),
        None => made,
    }
}

/// The failure of the first rank that failed; it names the rank unless all have the same failure.
fn first_failure(all: &[Said]) -> Option<(String, bool)> {
    let (rank, (message, input)) = all
        .iter()
        .enumerate()
        .find_map(|(rank, said)| said.failure.clone().map(|failure| (rank, failure)))?;
    if all.iter().all(|said| said.failure.as_ref() == Some(&(message.clone(), input))) {
        return Some((message, input));
    }
    Some((format!("rank {rank} on {}: {message}", all[rank].host), input))
}

/// The first line in which a rank differs from the first one.
fn first_difference(all: &[Said]) -> Option<String> {
    let first = &all[0].what;
    let (rank, other) = all.iter().enumerate().find(|(_, said)| said.what != *first)?;
    let (mut there, mut here) = (other.what.lines(), first.lines());
    let (there, here) = loop {
        match (there.next(), here.next()) {
            // Only the line endings differ.
            (None, None) => break ("", ""),
            (there, here) if there != here => {
                break (there.unwrap_or_default(), here.unwrap_or_default());
            }
            _ => {}
        }
    };
    Some(format!(
        "rank {rank} on {} has `{there}`, rank 0 `{here}`; allowed: the same on all ranks",
        other.host
    ))
}

/// The values of all ranks, `[rank]`.
pub(crate) fn gather<T: Serialize + DeserializeOwned>(
    others: &dyn Communicator,
    own: &T,
) -> Result<Vec<T>> {
    let wrong = |_| Error::Ranks { message: "ranks cannot read each other".into(), input: false };
    let bytes = postcard::to_stdvec(own).map_err(wrong)?;
    let all = others.all_gather(&bytes)?;
    all.iter().map(|bytes| postcard::from_bytes(bytes).map_err(wrong)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Alone;

    fn said(failure: Option<&str>, what: &str) -> Said {
        let failure = failure.map(|message| (message.into(), true));
        Said { host: "h".into(), failure, what: what.into() }
    }

    #[test]
    fn what_all_say_is_said_once() {
        let all = [said(Some("no"), ""), said(Some("no"), "")];
        assert_eq!(first_failure(&all), Some(("no".into(), true)));
        let all = [said(None, ""), said(Some("no"), ""), said(Some("never"), "")];
        assert_eq!(first_failure(&all), Some(("rank 1 on h: no".into(), true)));
        assert_eq!(first_failure(&[said(None, "")]), None);
    }

    #[test]
    fn the_first_line_that_differs_is_shown() {
        let check = |a: &str, b: &str| first_difference(&[said(None, a), said(None, b)]);
        assert_eq!(check("a\nb\n", "a\nb\n"), None);
        assert!(check("a\nb\nc", "a\nx\nd").unwrap().contains("has `x`, rank 0 `b`;"));
        assert!(check("a", "a\nb").unwrap().contains("has `b`, rank 0 ``;"));
        assert!(check("a", "a\n").is_some());
    }

    #[test]
    fn who_is_alone_fails_in_its_own_way() {
        assert_eq!(agreed::<()>(&Alone, "", Err(Error::NoDriver)), Err(Error::NoDriver));
        assert_eq!(agreed(&Alone, "", Ok(7)), Ok(7));
    }
}
