//! The notes "Particle Swarm Optimization", which express PSO as operations on whole matrices: whether this is the same
//! swarm, and its cost.
//!
//! The notes have no tables. This task runs the example program `matrix_pso` and `warpswarm solve`. If there is a GPU,
//! it also runs the bench `matrix_cublas`, the same with cuBLAS and cuRAND. Both programs are in the folder of this
//! one.
//!
//! * [`matrices`]: runs `matrix_pso`; [`same`]: its swarm and the library's; [`literal`]: the notes taken literally.
//! * [`times`]: times on the CPU; [`cublas`]: times on a GPU.

use anyhow::Result;

use super::Options;
use super::measure;
use super::page::Page;
use super::program::Program;
use super::table::integer;

mod cublas;
mod literal;
mod matrices;
mod same;
mod times;

use cublas::Measured;
use matrices::Matrices;

/// Runs the measurements and creates the page.
pub(crate) fn reproduce(options: &Options, program: &Program) -> Result<Page> {
    let matrices = Matrices::find()?;
    let same = same::all(options, program, &matrices)?;
    let literal = literal::all(options, &matrices)?;
    let times = times::all(options, program, &matrices)?;
    let cublas = cublas::measure(options, program)?;
    let mut tables = vec![same::table(&same), same::rounding(&same), literal::table(&literal)];
    tables.push(times.table());
    let mut records = vec![same::records(&same), literal::records(&literal), times.records()];
    let mut method = method(options);
    match &cublas {
        Measured::Sizes(sizes) => {
            tables.push(cublas::table(sizes));
            records.push(cublas::records(sizes));
        }
        Measured::LeftOut(why) => {
            method.push_str(&format!(" The table of cuBLAS and cuRAND is left out: {why}."));
        }
    }
    Ok(Page {
        title: "The PSO notes, reproduced".into(),
        method,
        tables,
        figures: Vec::new(),
        records,
    })
}

/// What was done, in a few sentences.
fn method(options: &Options) -> String {
    format!(
        "The notes keep velocities, positions and personal bests in three matrices with two temporary ones, maximise, and \
         evaluate the fitness on the host where it cannot run on the GPU. The program matrix_pso does so with the matrices \
         of the library nalgebra, in f64, and draws warpswarm's random numbers. {} iterations each, on {}.",
        integer(same::iterations(options)),
        measure::processor(),
    )
}
