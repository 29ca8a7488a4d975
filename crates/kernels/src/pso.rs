//! The kernels of particle swarm optimisation: see [`pso`](warpswarm_core::pso) for the equations and
//! [`pso_kernels`](warpswarm_core::launch::pso_kernels) for names and launch contracts.
//!
//! Three schedules, the same numbers: [`stepwise`] is CPSO's three kernels, [`resident`] keeps the
//! swarm in registers for many iterations, [`streaming`] moves each array once per iteration.

pub mod initialise;
pub mod resident;
pub mod stepwise;
pub mod streaming;

mod particle;

use warpswarm_core::launch::{Control, PsoArgs, record_stride, stopped};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::random::RunKey;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, Row, View};

use crate::run::{Run, of_run};

/// One run's arrays and this block's place in it.
#[derive(Clone, Copy)]
pub struct Swarm<'a, R> {
    /// The arguments of the launch.
    pub args: &'a PsoArgs<R>,
    /// The run's number in the launch.
    pub run: usize,
    /// This block's number among the run's.
    pub part: u32,
    /// Particles.
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
    /// Where the run is.
    pub control: View<Control>,
}

impl<'a, R: DeviceReal> Swarm<'a, R> {
    /// The run that this block works on.
    #[inline(always)]
    pub fn of_block(args: &'a PsoArgs<R>) -> Self {
        Swarm::of(args, thread::block_index())
    }

    /// The same, computed anew: in long kernels it is better to compute addresses twice than to
    /// keep them in registers in between.
    #[inline(always)]
    pub(crate) fn again(args: &'a PsoArgs<R>) -> Self {
        Swarm::of(args, thread::opaque(thread::block_index()))
    }

    #[inline(always)]
    fn of(args: &'a PsoArgs<R>, block: u32) -> Self {
        // Never zero; said so that no check for a division by zero is compiled.
        let blocks = args.blocks_per_run.max(1);
        Swarm::new(args, block / blocks, block % blocks)
    }

    /// Run `run` of the launch.
    #[inline(always)]
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
            lower: of_run(args.lower, 1, 0, stride),
            upper: of_run(args.upper, 1, 0, stride),
            control: of_run(args.control, runs, run, 1),
        }
    }

    /// The key of the run's draws.
    #[inline(always)]
    pub fn key(&self) -> RunKey {
        RunKey::new(self.args.seed, self.args.first_run + self.run as u64)
    }

    /// Where a particle's row begins.
    #[inline(always)]
    pub fn row(&self, particle: u32) -> usize {
        particle as usize * self.args.stride as usize
    }

    /// The row of `array` that belongs to a particle.
    #[inline(always)]
    pub fn row_of(&self, array: View<R>, particle: u32) -> View<R> {
        array.part(self.row(particle), self.args.stride as usize)
    }

    /// The row of `array` that belongs to a particle, for lanes that share it.
    #[inline(always)]
    pub fn lane_row(&self, array: View<R>, particle: u32) -> Row<R> {
        array.row(self.row(particle), self.args.stride)
    }

    /// Whether the run has stopped; it is left alone then.
    #[inline(always)]
    pub fn has_stopped(&self) -> bool {
        self.control.get(0).stopped != stopped::NOT
    }

    /// The run besides its particles.
    #[inline(always)]
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

    /// The scratch of the exchange between resident blocks: the record of block `part` under `tag`.
    #[inline(always)]
    pub fn record(&self, tag: u32, part: u32) -> View<R> {
        let (blocks, places) = (self.args.blocks_per_run, record_stride(self.args.stride) as usize);
        let records = of_run(
            self.args.slot_positions,
            self.args.runs,
            self.run,
            2 * blocks as usize * places,
        );
        records.part(((tag & 1) * blocks + part) as usize * places, places)
    }

    /// See [`Run::end_iteration`]; with `iterations` zero it ends the initialisation.
    #[inline(always)]
    pub fn end_iteration(&self, mine: Candidate<R>, scratch: SharedArray<Candidate<R>>) {
        let row = |index| self.row_of(self.best_positions, index);
        let initial = self.args.iterations == 0;
        self.run().end_iteration(initial, mine, row, self.args.stride, scratch);
    }
}

#[cfg(feature = "pso")]
warpswarm_device::entries! {
    /// The kernels that evaluate nothing.
    pub fn common {
        "pso_velocity_f32" => |args: PsoArgs<f32>| stepwise::velocity(&args),
        "pso_velocity_f64" => |args: PsoArgs<f64>| stepwise::velocity(&args),
        "pso_best_f32" => |args: PsoArgs<f32>| stepwise::best(&args),
        "pso_best_f64" => |args: PsoArgs<f64>| stepwise::best(&args),
    }
}

/// Exports the kernels of PSO for one objective, in both precisions.
///
/// `export_pso! { Sphere, f32: Shifted<f32, Sphere>, f64: Shifted<f64, Sphere> }` gives a module `Sphere`
/// with the entries `pso_resident_Sphere_f32_x1k2` and so on, for the tiles of
/// [`Tile::all`](warpswarm_core::launch::Tile::all). An objective that exists in some numbers of
/// dimensions only needs fewer of them and says so first, as in `export_pso! { few Spring, ... }`: see
/// [`for_each_problem`](warpswarm_core::for_each_problem).
#[macro_export]
macro_rules! export_pso {
    ($name:ident, f32: $single:ty, f64: $double:ty) => {
        $crate::export_pso! { any $name, f32: $single, f64: $double }
    };
    (any $name:ident, f32: $single:ty, f64: $double:ty) => {
        $crate::export_pso! { @module $name, $single, $double, [x1k2 x8k4 x16k8 any] }
    };
    (two $name:ident, f32: $single:ty, f64: $double:ty) => {
        $crate::export_pso! { @module $name, $single, $double, [x1k2] }
    };
    (few $name:ident, f32: $single:ty, f64: $double:ty) => {
        $crate::export_pso! { @module $name, $single, $double, [x8k4] }
    };
    (many $name:ident, f32: $single:ty, f64: $double:ty) => {
        $crate::export_pso! { @module $name, $single, $double, [x8k4 x16k8 any] }
    };
    (@module $name:ident, $single:ty, $double:ty, $tiles:tt) => {
        #[allow(non_snake_case, missing_docs)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use warpswarm_core::launch::{Launch, PsoArgs};
            type Single = Launch<PsoArgs<f32>, $single>;
            type Double = Launch<PsoArgs<f64>, $double>;
            $crate::export_pso! { @tiles f32 $name Single $tiles [] [] }
            $crate::export_pso! { @tiles f64 $name Double $tiles [] [] }
        }
    };
    // A tile becomes (name, lanes, coordinates a lane, and for how many threads the registers of four
    // kernels must suffice: a resident block, a block of a cooperative grid, and streaming, of which
    // several blocks are to share a multiprocessor, with an objective that gathers and without).
    (@tiles f32 $name:ident $launch:ty [x1k2 $($more:ident)*] [$($tiles:tt)*] []) => {
        $crate::export_pso! { @tiles f32 $name $launch [$($more)*]
            [$($tiles)* ("x1k2", 1, 2, 1024, 512, 1024, 1024)] [] }
    };
    (@tiles f32 $name:ident $launch:ty [x8k4 $($more:ident)*] [$($tiles:tt)*] []) => {
        $crate::export_pso! { @tiles f32 $name $launch [$($more)*]
            [$($tiles)* ("x8k4", 8, 4, 512, 384, 384, 384)] [] }
    };
    (@tiles f32 $name:ident $launch:ty [x16k8 $($more:ident)*] [$($tiles:tt)*] []) => {
        $crate::export_pso! { @tiles f32 $name $launch [$($more)*]
            [$($tiles)* ("x16k8", 16, 8, 256, 256, 256, 384)] [] }
    };
    (@tiles f64 $name:ident $launch:ty [x1k2 $($more:ident)*] [$($tiles:tt)*] []) => {
        $crate::export_pso! { @tiles f64 $name $launch [$($more)*]
            [$($tiles)* ("x1k2", 1, 2, 512, 512, 512, 512)] [] }
    };
    (@tiles f64 $name:ident $launch:ty [x8k4 $($more:ident)*] [$($tiles:tt)*] []) => {
        $crate::export_pso! { @tiles f64 $name $launch [$($more)*]
            [$($tiles)* ("x8k4", 8, 4, 256, 256, 256, 256)] [] }
    };
    (@tiles f64 $name:ident $launch:ty [x16k8 $($more:ident)*] [$($tiles:tt)*] []) => {
        $crate::export_pso! { @tiles f64 $name $launch [$($more)*]
            [$($tiles)* ("x16k8", 16, 8, 256, 256, 256, 256)] [] }
    };
    (@tiles $real:ident $name:ident $launch:ty [any] $tiles:tt []) => {
        $crate::export_pso! { @tiles $real $name $launch [] $tiles ["any"] }
    };
    (@tiles $real:ident $name:ident $launch:ty []
        [$(($tile:literal, $lanes:literal, $own:literal, $one:literal, $grid:literal, $gather:literal, $stream:literal))*]
        [$($any:literal)?]) => {
        warpswarm_device::entries! {
            /// The kernels in this precision.
            pub fn $real {
                concat!("pso_initialise_", stringify!($name), "_", stringify!($real)) =>
                    |launch: $launch| $crate::pso::initialise::initialise(&launch),
                concat!("pso_position_", stringify!($name), "_", stringify!($real)) =>
                    |launch: $launch| $crate::pso::stepwise::position(&launch),
                $(concat!("pso_streaming_", stringify!($name), "_", stringify!($real), "_", $any) =>
                    |launch: $launch| $crate::pso::streaming::any(&launch),)?
                $(concat!("pso_resident_", stringify!($name), "_", stringify!($real), "_", $tile) =>
                    |launch: $launch| $crate::pso::resident::resident::<
                        _, _, $lanes, $own, $one, false>(&launch),
                concat!("pso_resident_grid_", stringify!($name), "_", stringify!($real), "_", $tile) =>
                    |launch: $launch| $crate::pso::resident::resident::<
                        _, _, $lanes, $own, $grid, true>(&launch),
                concat!("pso_streaming_", stringify!($name), "_", stringify!($real), "_", $tile) =>
                    |launch: $launch| $crate::pso::streaming::tiled::<
                        _, _, $lanes, $own, $gather, $stream>(&launch),)*
            }
        }
    };
}
