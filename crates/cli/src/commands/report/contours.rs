//! The contours of the objective behind a moving swarm.

use serde::Serialize;

use crate::output::plot;
use crate::run::Run;

/// Between the bounds, coordinates of paths range from 0 to this number.
const SIDE: f64 = 10_000.0;

/// The regions between contours; each is drawn over the previous ones.
#[derive(Debug, Serialize)]
pub(crate) struct Contours {
    lower: [f64; 2],
    upper: [f64; 2],
    side: f64,
    note: String,
    regions: Vec<Region>,
}

#[derive(Debug, Serialize)]
struct Region {
    fill: String,
    opacity: f64,
    /// A path in the notation of SVG.
    path: String,
}

impl Contours {
    /// The contours of a problem in two dimensions; `None` if its bounds coincide in one of them.
    pub(crate) fn of(run: &Run) -> Option<Contours> {
        let bounds = run.problem.bounds();
        let lower: [f64; 2] = bounds.lower().try_into().ok()?;
        let upper: [f64; 2] = bounds.upper().try_into().ok()?;
        if (0..2).any(|a| lower[a] >= upper[a]) {
            return None;
        }
        let plane = plot::plane(&run.problem);
        let mut regions: Vec<Region> = Vec::new();
        for area in plane.areas() {
            let place = |x: f64, a: usize| SIDE * ((x - lower[a]) / (upper[a] - lower[a]));
            let point = |&(x, y): &(f64, f64)| format!("{:.0} {:.0}", place(x, 0), place(y, 1));
            let ring = |ring: &Vec<(f64, f64)>| {
                let points: Vec<String> = ring.iter().map(point).collect();
                format!("M{}Z", points.join("L"))
            };
            // Each ring is a separate subpath, so that no line connects two of them.
            let path: String = [&area.points].into_iter().chain(&area.holes).map(ring).collect();
            let color = area.color;
            let fill = format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2);
            match regions.last_mut() {
                Some(last) if last.fill == fill => last.path += &path,
                _ => regions.push(Region { fill, opacity: area.opacity, path }),
            }
        }
        Some(Contours { lower, upper, side: SIDE, note: plane.tones(), regions })
    }
}
