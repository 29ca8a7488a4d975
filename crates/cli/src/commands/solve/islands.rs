//! The islands of `solve --islands`.

use warpswarm::Algorithm;
use warpswarm_islands::{Inhabitants, Islands, Topology};

use crate::args::{IslandArgs, SolveArgs};
use crate::failure::Failure;
use crate::runs::islands::check_output;
use crate::study::entrant::{Entrant, entrant};

/// The islands that the arguments request on this number of ranks.
pub(crate) fn asked(
    args: &SolveArgs,
    algorithm: &Algorithm,
    ranks: u32,
) -> Result<Option<Islands>, Failure> {
    let IslandArgs { migrate_every: every, migrants, select, replace, .. } = args.islands;
    let Some(topology) = args.islands.islands else {
        return Ok(None);
    };
    if args.runs != 1 {
        return Err(Failure::Input(format!(
            "--runs is {}, but with --islands each island is a run; leave it out, and say how many islands with --island-count",
            args.runs
        )));
    }
    let usual = usual(args, algorithm, topology, ranks)?;
    let count = args.islands.island_count.unwrap_or(usual.count);
    let (selection, replacement) = (select, replace.unwrap_or(usual.replacement));
    let islands = Islands { count, every, migrants, selection, replacement, ..usual };
    islands.check()?;
    check_output(&args.output)?;
    Ok(Some(islands))
}

/// The islands with default migration settings. The number of islands must be given if it does not follow from the
/// ranks.
fn usual(
    args: &SolveArgs,
    algorithm: &Algorithm,
    topology: Topology,
    ranks: u32,
) -> Result<Islands, Failure> {
    let IslandArgs { island_count, island_set, .. } = &args.islands;
    let individuals = args.individuals.unwrap_or_else(|| algorithm.usual_individuals(1));
    let one = |text: &String| {
        let Entrant { algorithm, individuals, .. } =
            entrant("--island-set", text, args.individuals)?;
        Ok(Inhabitants { algorithm, individuals })
    };
    let inhabitants = match (island_set.as_slice(), topology, algorithm) {
        ([], Topology::Master, Algorithm::Cmepso(params)) => {
            return Ok(Islands::cmepso(*params, individuals)?);
        }
        ([], ..) => vec![Inhabitants { algorithm: *algorithm, individuals }],
        (set, ..) => set.iter().map(one).collect::<Result<_, Failure>>()?,
    };
    let count = island_count.or((ranks > 1).then_some(ranks.into())).ok_or_else(|| {
        Failure::Input("--islands in one process needs the number of islands; add --island-count N, with N of at least 2".into())
    })?;
    Ok(Islands { count, topology, inhabitants, ..Islands::default() })
}
