//! What a swarm moves over.

use serde::Serialize;

use crate::output::plot;
use crate::run::Run;

/// Coordinates of paths go from 0 to this between the bounds.
const SIDE: f64 = 10_000.0;

/// Regions between contours of an objective, each over those before it.
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
    /// As SVG has it.
    path: String,
}

impl Contours {
    /// Of what was to be solved, in two dimensions between bounds that differ.
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
            // Each ring is a path of its own, so that none is joined to another by a stroke.
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
