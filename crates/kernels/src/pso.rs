//! The kernels of particle swarm optimisation: see [`pso`](warpswarm_core::pso) for the equations and
//! [`pso_kernels`](warpswarm_core::launch::pso_kernels) for names and launch contracts.
//!
//! The three schedules give the same bits: [`stepwise`](crate::stepwise) runs CPSO's three kernels, [`resident`] keeps
//! the swarm in registers for many iterations, [`streaming`] moves each array once an iteration.

pub mod epochs;
pub mod initialise;
pub mod join;
pub mod resident;
pub mod streaming;

mod blocks;
mod columns;
mod flight;
mod leader_exchange;
mod mailbox;
mod particle;

use warpswarm_core::launch::{Control, EpochsArgs, JoinArgs, PsoArgs, stopped};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::random::RunKey;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, Row, View};

use crate::run::{Run, bounds_of_run, level_of, of_run};
use crate::stepwise::cpso;

use blocks::{Cluster, Grid, One};

/// One run's arrays, and this block's place in the run.
#[derive(Clone, Copy)]
pub struct Swarm<'a, R> {
    /// The arguments of the launch.
    pub args: &'a PsoArgs<R>,
    /// The run's index in the launch.
    pub run: usize,
    /// This block's index among the run's blocks.
    pub part: u32,
    /// Particles of the run.
    pub individuals: u32,
    /// `[individual][place]`
    pub positions: View<R>,
    /// `[individual][place]`
    pub velocities: View<R>,
    /// `[individual][place]`
    pub best_positions: View<R>,
    /// `[individual]`
    pub best: View<Fitness<R>>,
    /// The global best.
    pub global: View<Candidate<R>>,
    /// `[place]`
    pub global_position: View<R>,
    /// `[place]`
    pub lower: View<R>,
    /// `[place]`
    pub upper: View<R>,
    /// The run's progress.
    pub control: View<Control>,
}

impl<'a, R: DeviceReal> Swarm<'a, R> {
    /// The run that this block works on, computed again at each call: in long kernels it is better to compute addresses
    /// twice than to keep them in registers in between.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn of_block(args: &'a PsoArgs<R>) -> Self {
        let (run, part) = thread::run_and_part(args.runs, args.blocks_per_run);
        Swarm::new(args, run, part)
    }

    /// Run `run` of the launch, and block `part` of it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn new(args: &'a PsoArgs<R>, run: u32, part: u32) -> Self {
        let (runs, run) = (args.runs, run as usize);
        let (n, stride) = (args.individuals as usize, args.stride as usize);
        Swarm {
            args,
            run,
            part,
            individuals: args.individuals,
            positions: of_run(args.positions, runs, run, n * stride),
            velocities: of_run(args.velocities, runs, run, n * stride),
            best_positions: of_run(args.best_positions, runs, run, n * stride),
            best: of_run(args.best, runs, run, n),
            global: of_run(args.global, runs, run, 1),
            global_position: of_run(args.global_positions, runs, run, stride),
            lower: bounds_of_run(args.lower, args.bounds_runs, run, stride),
            upper: bounds_of_run(args.upper, args.bounds_runs, run, stride),
            control: of_run(args.control, runs, run, 1),
        }
    }

    /// The number of a particle of this launch among all of the run, which draws and candidates use.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn number(&self, particle: u32) -> u32 {
        self.args.first + particle
    }

    /// The key of the run's draws.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn key(&self) -> RunKey {
        RunKey::new(self.args.seed, self.args.first_run + self.run as u64)
    }

    /// The place where a particle's row begins.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn row(&self, particle: u32) -> usize {
        particle as usize * self.args.stride as usize
    }

    /// The row of `array` that belongs to a particle.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn row_of(&self, array: View<R>, particle: u32) -> View<R> {
        array.part(self.row(particle), self.args.stride as usize)
    }

    /// The row of `array` that belongs to a particle, for lanes that share it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn lane_row(&self, array: View<R>, particle: u32) -> Row<R> {
        array.row(self.row(particle), self.args.stride)
    }

    /// The violation level at which the particle of this number is judged, if there are constraints.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn level_of<const CONSTRAINED: bool>(&self, number: u32) -> R {
        level_of::<R, CONSTRAINED>(self.control, number)
    }

    /// Whether the run has stopped; kernels then change nothing.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn has_stopped(&self) -> bool {
        self.control.get(0).stopped != stopped::NOT
    }

    /// The run's data other than its particles.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn run(&self) -> Run<R> {
        let blocks = self.args.blocks_per_run;
        let row = of_run(self.args.block_best, self.args.runs, self.run, blocks as usize);
        Run {
            global: self.global,
            global_position: self.global_position,
            control: self.control,
            block_best: row,
            blocks,
            part: self.part,
            stop: self.args.stop,
        }
    }

    /// See [`Run::end_iterations`]. If `iterations` is zero, it ends the initialisation.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn end_iteration(&self, mine: Candidate<R>, scratch: SharedArray<Candidate<R>>) {
        let row = |index| self.row_of(self.best_positions, index - self.args.first);
        let done = u64::from(self.args.iterations != 0);
        self.run().end_iterations(done, |t| t, mine, row, self.args.stride, scratch);
    }
}

/// The kernels of one precision. Those in the inner brackets exist for each tile, with and without constraints. A tile
/// has a name, lanes, coordinates a lane, and the largest block of three kinds, for which the registers must suffice: a
/// resident block alone, a resident block of several that share a run, and a streaming block, of which several share a
/// multiprocessor.
///
/// The second list has the tiles in columns, which do not stream. The third has the tiles that stream by bulk copies.
/// The last entry is the tile whose particles have a thread and its registers each.
macro_rules! kernels {
    ($real:ident, $tiles:tt, $columns:tt, $bulk:tt, $rows:tt) => {
        mod $real {
            use super::*;
            warpswarm_device::entries! {
                /// The kernels without tiles.
                pub fn common {
                    concat!("pso_initialise_", stringify!($real)) =>
                        |args: PsoArgs<$real>| initialise::initialise(&args),
                    concat!("pso_velocity_", stringify!($real)) =>
                        |args: PsoArgs<$real>| cpso::velocity(&args),
                    concat!("pso_position_", stringify!($real)) =>
                        |args: PsoArgs<$real>| cpso::position(&args),
                    concat!("pso_best_", stringify!($real)) =>
                        |args: PsoArgs<$real>| cpso::best(&args),
                    concat!("pso_join_", stringify!($real)) =>
                        |args: JoinArgs<$real>| join::join(&args),
                    concat!("pso_streaming_", stringify!($real), "_any") =>
                        |args: PsoArgs<$real>| streaming::any(&args),
                }
            }
            kernels! { @ unconstrained $real "" false $tiles $columns $bulk $rows }
            kernels! { @ constrained $real "_constrained" true $tiles $columns $bulk $rows }
        }
    };
    (@ $table:ident $real:ident $suffix:literal $constrained:literal
        [$(($tile:literal, $lanes:literal, $own:literal, $one:literal, $grid:literal, $stream:literal)),*]
        [$(($column:literal, $c_lanes:literal, $c_own:literal, $c_one:literal, $c_grid:literal)),*]
        [$(($b_tile:literal, $b_lanes:literal, $b_own:literal, $b_stream:literal)),*]
        ($row:literal, $r_own:literal, $r_one:literal)) => {
        warpswarm_device::entries! {
            /// The kernels that hold particles in registers or columns.
            pub fn $table {
                $(concat!("pso_resident_", stringify!($real), "_", $tile, $suffix) =>
                    |args: PsoArgs<$real>| resident::resident::<
                        $real, One, $lanes, $own, $one, $constrained>(&args),
                concat!("pso_resident_grid_", stringify!($real), "_", $tile, $suffix) =>
                    |args: PsoArgs<$real>| resident::resident::<
                        $real, Grid, $lanes, $own, $grid, $constrained>(&args),
                concat!("pso_epochs_grid_", stringify!($real), "_", $tile, $suffix) =>
                    |args: EpochsArgs<$real>| epochs::epochs::<
                        $real, $lanes, $own, $grid, $constrained>(&args),
                concat!("pso_resident_cluster_", stringify!($real), "_", $tile, $suffix) =>
                    |args: PsoArgs<$real>| resident::resident::<
                        $real, Cluster, $lanes, $own, $grid, $constrained>(&args),
                concat!("pso_streaming_", stringify!($real), "_", $tile, $suffix) =>
                    |args: PsoArgs<$real>| streaming::tiled::<
                        $real, $lanes, $own, $stream, $constrained>(&args),)*
                $(concat!("pso_resident_", stringify!($real), "_", $column, $suffix) =>
                    |args: PsoArgs<$real>| resident::resident::<
                        $real, One, $c_lanes, $c_own, $c_one, $constrained>(&args),
                concat!("pso_resident_grid_", stringify!($real), "_", $column, $suffix) =>
                    |args: PsoArgs<$real>| resident::resident::<
                        $real, Grid, $c_lanes, $c_own, $c_grid, $constrained>(&args),
                concat!("pso_epochs_grid_", stringify!($real), "_", $column, $suffix) =>
                    |args: EpochsArgs<$real>| epochs::epochs::<
                        $real, $c_lanes, $c_own, $c_grid, $constrained>(&args),)*
                $(concat!("pso_streaming_bulk_", stringify!($real), "_", $b_tile, $suffix) =>
                    |args: PsoArgs<$real>| streaming::bulk::<
                        $real, $b_lanes, $b_own, $b_stream, $constrained>(&args),)*
                concat!("pso_resident_", stringify!($real), "_", $row, $suffix) =>
                    |args: PsoArgs<$real>| resident::resident::<
                        $real, One, 1, $r_own, $r_one, $constrained>(&args),
            }
        }
    };
}

kernels! { f32, [
    ("x1k2", 1, 2, 512, 512, 1024),
    ("x8k4", 8, 4, 384, 384, 384),
    ("x16k8", 16, 8, 256, 256, 384)
], [("column", 1, 32, 512, 512)], [("x16k8", 16, 8, 256)], ("x1k16", 16, 512) }
kernels! { f64, [
    ("x1k2", 1, 2, 384, 384, 512),
    ("x8k4", 8, 4, 256, 256, 256),
    ("x16k8", 16, 8, 256, 256, 256)
], [("column", 1, 32, 256, 256)], [("x16k8", 16, 8, 256)], ("x1k16", 16, 256) }

warpswarm_device::on_host! {
/// Every kernel, for the emulator.
pub(crate) fn entries() -> impl Iterator<Item = &'static warpswarm_device::emulator::Entry> {
    let single = [f32::common(), f32::unconstrained(), f32::constrained()];
    let double = [f64::common(), f64::unconstrained(), f64::constrained()];
    single.into_iter().chain(double).flatten()
}
}
