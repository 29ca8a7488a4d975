//! The participants.

use anyhow::{Context, Result};

/// An optimiser with its settings.
#[derive(Debug)]
pub(super) struct Search {
    /// The name on the command line: the algorithm of this library, or the peer, as in `benches/bbob/peers.py`.
    pub(super) id: &'static str,
    /// The name in tables.
    pub(super) name: &'static str,
    /// The package on PyPI, with a fixed version, so that tables are comparable; `None` for this library.
    pub(super) package: Option<&'static str>,
    /// A short description of the settings.
    pub(super) settings: &'static str,
}

const MINION: Option<&str> = Some("minionpy==1.9.1");
const DEFAULT: &str = "default parameters";

pub(super) const ALL: [Search; 12] = [
    ours("auto", "warpswarm auto"),
    ours("cma-es", "warpswarm cma-es"),
    ours("shade", "warpswarm shade"),
    ours("de", "warpswarm de"),
    ours("pso", "warpswarm pso"),
    peer("lshade", "minion L-SHADE", MINION, DEFAULT),
    peer("jso", "minion jSO", MINION, DEFAULT),
    peer("arrde", "minion ARRDE", MINION, DEFAULT),
    peer("bite", "fcmaes BiteOpt", Some("fcmaes==2.1.0"), DEFAULT),
    peer(
        "pygmo",
        "pygmo IPOP-CMA-ES",
        Some("pygmo==2.20.0"),
        "ftol and xtol 1e-12, forced bounds; anew with twice the population",
    ),
    peer(
        "pycma",
        "pycma BIPOP-CMA-ES",
        Some("cma==4.5.0"),
        "fmin2 with bipop and 9 restarts, from within [-4, 4] with a step of 2",
    ),
    peer(
        "scipy",
        "scipy DE",
        Some("scipy==1.17.1"),
        "default parameters without tolerances and without the gradient search at the end",
    ),
];

const fn ours(id: &'static str, name: &'static str) -> Search {
    Search { id, name, package: None, settings: DEFAULT }
}

const fn peer(
    id: &'static str,
    name: &'static str,
    package: Option<&'static str>,
    settings: &'static str,
) -> Search {
    Search { id, name, package, settings }
}

/// The searches with these names, in their order here; all searches if there are no names.
pub(super) fn chosen(only: &[String]) -> Result<Vec<&'static Search>> {
    for name in only {
        let known = || ALL.map(|search| search.id).join(", ");
        let is_known = ALL.iter().any(|search| search.id == name);
        is_known
            .then_some(())
            .with_context(|| format!("no search {name}; allowed: {}", known()))?;
    }
    let is_chosen = |search: &&Search| only.is_empty() || only.iter().any(|id| id == search.id);
    Ok(ALL.iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_chosen_by_name() {
        let ids = |only: &[&str]| {
            let only: Vec<String> = only.iter().map(|id| id.to_string()).collect();
            chosen(&only).map(|all| all.iter().map(|search| search.id).collect::<Vec<_>>())
        };
        assert_eq!(ids(&[]).unwrap().len(), ALL.len());
        assert_eq!(ids(&["scipy", "auto"]).unwrap(), ["auto", "scipy"]);
        let error = ids(&["auto", "sciyp"]).unwrap_err().to_string();
        assert!(error.starts_with("no search sciyp; allowed: auto, cma-es, "), "{error}");
    }

    #[test]
    fn algorithms_of_ours_are_known_and_peers_are_in_the_script() {
        let script = crate::shell::root().join("benches/bbob/peers.py");
        let script = std::fs::read_to_string(script).unwrap();
        for search in &ALL {
            match search.package {
                None => assert!(warpswarm::algorithms::find(search.id).is_ok(), "{}", search.id),
                Some(_) => assert!(script.contains(&format!("\n    \"{}\": ", search.id))),
            }
        }
    }
}
