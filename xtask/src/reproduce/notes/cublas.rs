//! The time of an iteration with matrices on a GPU, with cuBLAS and cuRAND.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::reproduce::Options;
use crate::reproduce::page::Records;
use crate::reproduce::program::{Program, beside, number, words};
use crate::reproduce::table::{Table, integer, number as digits};

/// The result of the measurement.
pub(super) enum Measured {
    Sizes(Vec<Size>),
    /// The reason why nothing was measured.
    LeftOut(String),
}

/// The measurements of all variants at one size of the swarm.
pub(super) struct Size {
    individuals: u64,
    dimensions: u64,
    ways: Vec<Way>,
    /// The time of an iteration of `warpswarm`, in microseconds.
    warpswarm: f64,
    schedule: String,
}

/// A line of the output of the program `matrix_cublas`.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    device: String,
    cublas: u64,
    individuals: u64,
    dimensions: u64,
    product: String,
    bests: String,
    /// Microseconds per iteration, or the reason why it was not measured.
    us: Result<f64, String>,
}

/// Measures if there is a GPU.
pub(super) fn measure(options: &Options, program: &Program) -> Result<Measured> {
    if options.backend != "gpu" {
        let why = format!("it wants a GPU, and this ran with the backend {}", options.backend);
        return Ok(Measured::LeftOut(why));
    }
    let path = beside("matrix_cublas")?;
    if !path.is_file() {
        return Ok(Measured::LeftOut(format!("there is no program {}", path.display())));
    }
    let mut command = Command::new(&path);
    if options.quick {
        command.arg("--quick");
    }
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start {}", path.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(Measured::LeftOut(said.trim().trim_start_matches("error: ").into()));
    }
    let ways = read(&String::from_utf8(output.stdout)?)?;
    let mut sizes: Vec<(u64, u64)> = ways.iter().map(|w| (w.individuals, w.dimensions)).collect();
    sizes.dedup();
    sizes.sort_unstable();
    sizes.dedup();
    let of_size = |(individuals, dimensions)| {
        let all = ways.iter();
        let here = all.filter(|way| (way.individuals, way.dimensions) == (individuals, dimensions));
        size(options, program, (individuals, dimensions), here.cloned().collect())
    };
    Ok(Measured::Sizes(sizes.into_iter().map(of_size).collect::<Result<_>>()?))
}

/// Measures the same size with `warpswarm`.
fn size(
    options: &Options,
    program: &Program,
    (individuals, dimensions): (u64, u64),
    ways: Vec<Way>,
) -> Result<Size> {
    let coordinates = individuals * dimensions;
    // An estimate for about a second; a tenth of that with `--quick`.
    let full = (20_000_000_000 / coordinates).clamp(200, 50_000);
    let iterations = if options.quick { full / 10 } else { full };
    let solved = program.solve(words(&format!(
        "sphere --dim {dimensions} --individuals {individuals} --iterations {iterations} --seed 1 --precision f32 \
         --algorithm pso --backend gpu"
    )))?;
    let done = solved.runs[0].iterations;
    ensure!(done == iterations, "{done} of {iterations} iterations were done");
    let warpswarm = 1e6 * solved.seconds / iterations as f64;
    let schedule = solved.place.schedule;
    eprintln!("{individuals} x {dimensions}: warpswarm {} us ({schedule})", digits(warpswarm));
    Ok(Size { individuals, dimensions, ways, warpswarm, schedule })
}

fn read(lines: &str) -> Result<Vec<Way>> {
    let ways = lines.lines().map(|line| {
        let json: Value = serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))?;
        let text = |name: &str| {
            json[name].as_str().map(String::from).with_context(|| format!("no {name} in {line}"))
        };
        let count =
            |name: &str| json[name].as_u64().with_context(|| format!("no {name} in {line}"));
        Ok(Way {
            device: text("device")?,
            cublas: count("cublas")?,
            individuals: count("individuals")?,
            dimensions: count("dimensions")?,
            product: text("product")?,
            bests: text("bests")?,
            us: if json["us"].is_null() { Err(text("error")?) } else { Ok(number(&json["us"])?) },
        })
    });
    ways.collect()
}

/// The columns of the variants: the program's words and our headings.
const COLUMNS: [(&str, &str, &str); 4] = [
    ("sbmv", "host", "sbmv"),
    ("dgmm", "host", "dgmm and geam"),
    ("sbmv", "kernels", "sbmv"),
    ("dgmm", "kernels", "dgmm and geam"),
];

pub(super) fn table(sizes: &[Size]) -> Table {
    let row = |size: &Size| {
        let mut row = vec![format!("{} x {}", integer(size.individuals), size.dimensions)];
        let mut least = f64::INFINITY;
        for (product, bests, _) in COLUMNS {
            let way = size.ways.iter().find(|way| way.product == product && way.bests == bests);
            row.push(match way.map(|way| &way.us) {
                Some(Ok(us)) => {
                    least = least.min(*us);
                    digits(*us)
                }
                Some(Err(_)) => "none".into(),
                None => "-".into(),
            });
        }
        row.extend([digits(size.warpswarm), size.schedule.clone()]);
        row.push(if least.is_finite() { digits(least / size.warpswarm) } else { "-".into() });
        row
    };
    let mut columns = vec!["particles x dimensions".to_string()];
    columns.extend(COLUMNS.map(|(_, _, name)| name.to_string()));
    columns.extend(["warpswarm", "schedule", "least of the four / warpswarm"].map(String::from));
    let (device, version) = match sizes.first().and_then(|size| size.ways.first()) {
        Some(way) => (way.device.clone(), way.cublas),
        None => ("-".into(), 0),
    };
    let mut notes: Vec<String> = NOTES.map(String::from).into();
    for (size, way, error) in sizes.iter().flat_map(without_time) {
        let Way { product, bests, .. } = way;
        notes.push(format!("None for {} particles, {product}, {bests}: {error}", integer(size)));
    }
    Table {
        title: format!(
            "Microseconds of an iteration on {device}: sphere, f32, cuBLAS {}.{}",
            version / 10_000,
            version / 100 % 100
        ),
        groups: vec![
            (String::new(), 1),
            ("cuBLAS and cuRAND alone".into(), 2),
            ("with two kernels".into(), 2),
            (String::new(), 3),
        ],
        columns,
        rows: sizes.iter().map(row).collect(),
        notes,
    }
}

/// The variants that were not measured at this size, and why.
fn without_time(size: &Size) -> Vec<(u64, &Way, &String)> {
    let without = size.ways.iter().filter_map(|way| Some((way, way.us.as_ref().err()?)));
    without.map(|(way, error)| (size.individuals, way, error)).collect()
}

const NOTES: [&str; 4] = [
    "r1 and r2 come from cuRAND (Philox); p - q is geam, q + v axpy. \"The only time cuBLAS cannot be used\" is the repeated \
     g: it can, as g times a row of ones, a matrix of rank one (ger), which is one more pass over the swarm.",
    "What cuBLAS does not have is the product of two matrices element by element. Two of its calls do it if the swarm is \
     taken for something else: sbmv, with the matrix as the diagonal of a matrix as long, and dgmm, with one column as long.",
    "Nor can it compare. \"Alone\", the values go to the host, which sends back ones and zeros, by which dgmm multiplies the \
     columns of q and p; with two small kernels of our own, values are compared and positions copied on the GPU, and amin \
     finds the global best, of values that are not negative. Either way the host waits once an iteration.",
    "warpswarm's kernels read and write each matrix once an iteration, or keep the swarm in registers for the whole run \
     (resident), draw where the numbers are used, and also keep particles in the box, which the matrices here do not.",
];

pub(super) fn records(sizes: &[Size]) -> Records {
    let row = |size: &Size, way: &Way| {
        let mut row: Vec<String> =
            [size.individuals, size.dimensions].map(|n| n.to_string()).into();
        row.extend([way.product.clone(), way.bests.clone()]);
        row.push(way.us.as_ref().map_or_else(|_| "-".into(), f64::to_string));
        row.extend([size.warpswarm.to_string(), size.schedule.clone()]);
        row
    };
    let rows = sizes.iter().flat_map(|size| size.ways.iter().map(move |way| row(size, way)));
    Records {
        name: "cublas",
        head: vec![
            "individuals",
            "dimensions",
            "product",
            "bests",
            "us",
            "warpswarm_us",
            "schedule",
        ],
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"{"device": "a GPU", "cublas": 130100, "individuals": 1024, "dimensions": 10, "product": "sbmv", "bests": "host", "us": 50.5, "iterations": 10}
{"device": "a GPU", "cublas": 130100, "individuals": 1024, "dimensions": 10, "product": "dgmm", "bests": "kernels", "us": null, "error": "status 7"}
"#;

    #[test]
    fn lines_become_a_table() {
        let ways = read(LINES).unwrap();
        assert_eq!((ways[0].us.clone(), ways[1].us.clone()), (Ok(50.5), Err("status 7".into())));
        let size = Size {
            individuals: 1024,
            dimensions: 10,
            ways,
            warpswarm: 5.05,
            schedule: "resident".into(),
        };
        let table = table(&[size]);
        assert!(table.title.ends_with("on a GPU: sphere, f32, cuBLAS 13.1"), "{}", table.title);
        let row = ["1,024 x 10", "50.50", "-", "-", "none", "5.050", "resident", "10.00"];
        assert_eq!(table.rows, [row.map(String::from)]);
        assert!(table.notes.last().unwrap().ends_with("1,024 particles, dgmm, kernels: status 7"));
        assert_eq!(table.columns.len(), row.len());
    }

    #[test]
    fn what_is_no_line_is_an_error() {
        assert!(read("no JSON").is_err());
        assert!(read("{\"device\": \"a GPU\"}").is_err());
    }
}
