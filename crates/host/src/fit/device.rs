//! Fits on a device: the sequence of kernels, and the layout of their data.

use std::borrow::Cow;
use std::sync::Arc;

use warpswarm_core::fit::{Accumulator, BLOCK, Observed, Subsample};
use warpswarm_core::launch::{
    CombineArgs, FIT_BLOCK, FitArgs, Outcome, Ptr, SearchArgs, SumsArgs, triangle,
};

use super::found::Found;
use super::solve::{LARGE, One, Plan, gathered};
use super::work::Work;
use crate::engine::device::memory::{DataArrays, Transfer};
use crate::error::Result;
use crate::machine::gpu::Gpu;
use crate::machine::kernels::Kernels;
use crate::machine::program::Program;
use crate::machine::{Kernel, Machine, Parameter, Piece, Shape, pages};
use crate::objective::data::LaidOut;
use crate::settings::precise::Precise;

/// The approximate limit for the arrays of one launch, in bytes; more fits are done in several launches.
const MOST_BYTES: usize = 1 << 32;
/// With fewer fits, starting values are searched for on the CPU, whose threads are faster than those of a device.
const FEW: usize = 256;

/// Carries out fits on a device.
pub(crate) trait OnDevice<R: Precise>: Send + Sync {
    fn on_gpu(&self, work: &Work<'_, R>, machine: Gpu) -> Result<Found<R>>;
    #[cfg(feature = "emulator")]
    fn on_emulator(
        &self,
        work: &Work<'_, R>,
        machine: crate::machine::emulator::Emulator,
    ) -> Result<Found<R>>;
}

/// A model in the form that kernels for `N` parameters use.
pub(crate) struct Target<R, M, const N: usize> {
    /// The end of the names of its kernels.
    pub(crate) name: String,
    /// The name of the kernel that combines sums.
    pub(crate) combine: String,
    /// The package with its kernels, unless they are built in.
    pub(crate) own: Option<Kernels>,
    /// The program that computes its rows, if they are expressions.
    pub(crate) program: Option<Arc<Program>>,
    pub(crate) model: M,
    pub(crate) observed: Observed,
    pub(crate) data: Arc<LaidOut<R>>,
}

impl<R: Precise, M: Copy + Send + Sync + 'static, const N: usize> OnDevice<R> for Target<R, M, N> {
    fn on_gpu(&self, work: &Work<'_, R>, machine: Gpu) -> Result<Found<R>> {
        Launches { target: self, work, plan: Plan::new(work), machine }.all()
    }

    #[cfg(feature = "emulator")]
    fn on_emulator(
        &self,
        work: &Work<'_, R>,
        machine: crate::machine::emulator::Emulator,
    ) -> Result<Found<R>> {
        Launches { target: self, work, plan: Plan::new(work), machine }.all()
    }
}

/// The launches for all fits.
struct Launches<'a, R: Precise, M, K, const N: usize> {
    target: &'a Target<R, M, N>,
    work: &'a Work<'a, R>,
    plan: Plan<'a, R, N>,
    machine: K,
}

/// The addresses of the arrays that some fits need.
#[derive(Default)]
struct Arrays {
    data: DataArrays,
    starts: u64,
    other: u64,
    found: u64,
    covariance: u64,
    chi_squared: u64,
    outcomes: u64,
    taken: u64,
    lower: u64,
    upper: u64,
}

impl<R: Precise, M: Copy + 'static, K: Machine, const N: usize> Launches<'_, R, M, K, N> {
    fn all(mut self) -> Result<Found<R>> {
        if self.work.rows >= LARGE && self.work.fits < FEW {
            return self.large();
        }
        let number = size_of::<R>();
        let of_fit =
            (self.target.data.of_run + 2 * N + triangle(N) + 2) * number + size_of::<Outcome>();
        let most = (MOST_BYTES / of_fit).clamp(1, 1 << 24).min(self.work.fits);
        let arrays = self.arrays(most)?;
        let mut parts = Vec::new();
        for first in (0..self.work.fits).step_by(most) {
            let count = most.min(self.work.fits - first);
            parts.push(self.some(&arrays, first, count)?);
            self.work.add(count);
        }
        Ok(Found::joined(parts, self.work.names.len()))
    }

    fn arrays(&mut self, fits: usize) -> Result<Arrays> {
        let data = DataArrays::nowhere(&self.target.data);
        let mut arrays = Arrays { data, ..Arrays::default() };
        let numbers = |count: usize| (count * size_of::<R>()) as u64;
        let [of_all, of_fits] = arrays.data.room::<R>(fits);
        self.machine.allocate_all(&mut [
            of_all,
            of_fits,
            (&mut arrays.starts, (fits * N * size_of::<f64>()) as u64),
            (&mut arrays.other, numbers(fits)),
            (&mut arrays.found, numbers(fits * N)),
            (&mut arrays.covariance, numbers(fits * triangle(N))),
            (&mut arrays.chi_squared, numbers(fits)),
            (&mut arrays.outcomes, (fits * size_of::<Outcome>()) as u64),
            (&mut arrays.taken, size_of::<u32>() as u64),
            (&mut arrays.lower, numbers(N)),
            (&mut arrays.upper, numbers(N)),
        ])?;
        arrays.data.share(&*self.target.data, &mut self.machine)?;
        self.machine.store_numbers(arrays.lower, 0, self.plan.bounds.lower())?;
        self.machine.store_numbers(arrays.upper, 0, self.plan.bounds.upper())?;
        Ok(arrays)
    }

    /// Does `count` fits from number `first` on. While data are copied and kernels run, other threads prepare the
    /// memory of the results.
    fn some(&mut self, at: &Arrays, first: usize, count: usize) -> Result<Found<R>> {
        let work = self.work;
        let mut found = Found::<R>::zeros(work.names.len(), count);
        let pool = work.workers.pool.as_ref();
        found.other = pages::prepared_while(found.bytes(), pool, || self.begin(at, first, count))?;
        let machine = &mut self.machine;
        machine.fetch_into(at.found, 0, &mut found.parameters)?;
        machine.fetch_into(at.covariance, 0, &mut found.covariance)?;
        machine.fetch_into(at.chi_squared, 0, &mut found.chi_squared)?;
        machine.fetch_outcomes::<R>(at.outcomes, &mut found.outcomes)?;
        Ok(found)
    }

    /// Enqueues `count` fits from number `first` on; returns the costs of other minima.
    fn begin(&mut self, at: &Arrays, first: usize, count: usize) -> Result<Vec<R>> {
        at.data.take(&*self.target.data, first..first + count, &mut self.machine)?;
        let other = self.start(at, first, count)?;
        let kernel = self.kernel("fit");
        let shape = self.shape(&kernel, count)?;
        self.machine.zero(at.taken, size_of::<u32>() as u64)?;
        let Target { model, observed, .. } = *self.target;
        let args = FitArgs {
            model,
            observed,
            data: at.data.args(0, count as u32, 1),
            settings: self.work.settings,
            starts: Ptr::at(at.starts),
            lower: Ptr::at(at.lower),
            upper: Ptr::at(at.upper),
            found: Ptr::at(at.found),
            covariance: Ptr::at(at.covariance),
            chi_squared: Ptr::at(at.chi_squared),
            outcomes: Ptr::at(at.outcomes),
            taken: Ptr::at(at.taken),
            fits: count as u32,
            absolute: 1,
            fixed: 0,
            apart: if self.work.shares_start() { 0 } else { N as u32 },
        };
        self.launch(&kernel, shape, Parameter::of(args), (&at.data, count))?;
        Ok(other)
    }

    /// Writes starting values to the device; returns the costs of other minima.
    fn start(&mut self, at: &Arrays, first: usize, count: usize) -> Result<Vec<R>> {
        if !self.work.starts.is_empty() {
            let given = self.work.given(first..first + count);
            let starts = padded::<N>(given, self.work.names.len());
            self.machine.store_numbers(at.starts, 0, &starts)?;
            return Ok(Vec::new());
        }
        if count < FEW {
            let starts = self.plan.starts(first..first + count);
            let numbers: Vec<f64> =
                starts.iter().flat_map(|(start, _)| start.map(R::to_f64)).collect();
            self.machine.store_numbers(at.starts, 0, &numbers)?;
            return Ok(starts.into_iter().map(|(_, other)| other).collect());
        }
        let kernel = self.kernel("search");
        let shape = self.shape(&kernel, count)?;
        self.machine.zero(at.taken, size_of::<u32>() as u64)?;
        let Target { model, observed, .. } = *self.target;
        let args = SearchArgs {
            model,
            observed,
            data: at.data.args(0, count as u32, 1),
            settings: self.work.settings,
            search: self.plan.search,
            lower: Ptr::at(at.lower),
            upper: Ptr::at(at.upper),
            starts: Ptr::at(at.starts),
            other: Ptr::at(at.other),
            taken: Ptr::at(at.taken),
            first_fit: first as u64,
            fits: count as u32,
            fixed: 0,
            subsample: Subsample::at(self.work.rows),
        };
        self.launch(&kernel, shape, Parameter::of(args), (&at.data, count))?;
        self.machine.fetch_numbers(at.other, 0, count as u64)
    }

    /// Fits over many rows, one after the other: the device sums rows, and the host does the rest.
    fn large(mut self) -> Result<Found<R>> {
        let blocks = self.work.rows.div_ceil(BLOCK);
        let of_sums = size_of::<R::Sums<N>>() / size_of::<R>();
        let bytes = |count: usize| (count * of_sums * size_of::<R>()) as u64;
        let point = self.machine.allocate((N * size_of::<R>()) as u64)?;
        let of_blocks = self.machine.allocate(bytes(blocks))?;
        let of_groups = self.machine.allocate(bytes(blocks.div_ceil(BLOCK)))?;
        let (sums, combine) = (self.kernel("sums"), self.kernel_of(&self.target.combine));
        let shapes = (self.shape(&sums, blocks)?, self.shape(&combine, blocks.div_ceil(BLOCK))?);
        let starts = self.plan.starts(0..self.work.fits);
        let plan = Plan::<R, N>::new(self.work);
        let data = DataArrays::with_room(&*self.target.data, 1, &mut self.machine)?;
        let mut all: Vec<One<R, N>> = Vec::with_capacity(self.work.fits);
        for (fit, start) in starts.into_iter().enumerate() {
            data.take(&*self.target.data, fit..fit + 1, &mut self.machine)?;
            let mut summed = |at: &[R; N]| -> Result<R::Sums<N>> {
                self.machine.store_numbers(point, 0, at)?;
                let Target { model, observed, .. } = *self.target;
                let args = SumsArgs {
                    model,
                    observed,
                    data: data.args::<R>(0, 1, 1),
                    at: Ptr::at(point),
                    sums: Ptr::at(of_blocks),
                };
                self.launch(&sums, shapes.0, Parameter::of(args), (&data, 1))?;
                let args = CombineArgs::<R> {
                    from: Ptr::at(of_blocks),
                    into: Ptr::at(of_groups),
                    count: blocks as u32,
                    padding: 0,
                };
                self.machine.launch(&combine, shapes.1, &Parameter::of(args))?;
                let groups = blocks.div_ceil(BLOCK);
                let numbers: Vec<R> =
                    self.machine.fetch_numbers(of_groups, 0, (groups * of_sums) as u64)?;
                let mut numbers = numbers.into_iter();
                let mut groups: Vec<R::Sums<N>> = (0..groups)
                    .map(|_| Accumulator::of_numbers(&mut || numbers.next().unwrap_or(R::NAN)))
                    .collect();
                // Groups are added in sequence, independent of their number.
                let first = groups.remove(0);
                Ok(groups.iter().fold(first, |mut sums, group| {
                    sums.combine(group);
                    sums
                }))
            };
            all.push(plan.fitted(start, &mut summed)?);
            self.work.add(1);
        }
        Ok(gathered(self.work.names.len(), &all))
    }

    fn kernel(&self, what: &str) -> Kernel {
        let Target { name, own, program, .. } = self.target;
        let objective = program.as_ref().map(|program| Piece {
            name: name.clone(),
            own: None,
            program: Some(program.clone()),
        });
        Kernel { objective, ..Kernel::new(format!("{what}_{name}"), *own) }
    }

    fn kernel_of(&self, name: &str) -> Kernel {
        Kernel::new(name.into(), self.target.own)
    }

    /// As many threads as needed for the work, in at most as many blocks as the device runs at once.
    fn shape(&mut self, kernel: &Kernel, work: usize) -> Result<Shape> {
        let block = FIT_BLOCK.min((work as u32).next_multiple_of(32));
        let at_once = self.machine.occupancy(kernel, block, 0)?.max(1);
        let grid = (work as u32).div_ceil(block).min(at_once * self.machine.multiprocessors());
        Ok(Shape { grid: grid.max(1), block, shared: 0, cooperative: false, cluster: 0 })
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        mut parameter: Parameter,
        (data, fits): (&DataArrays, usize),
    ) -> Result<()> {
        if kernel.objective.is_some() {
            let model = Parameter::of(self.target.model);
            parameter.append(&data.behind::<R>(&model, (0, fits as u32), 1));
        }
        self.machine.launch(kernel, shape, &parameter)
    }
}

/// Given starting values, padded with zeros to `N` parameters.
fn padded<const N: usize>(given: &[f64], n: usize) -> Cow<'_, [f64]> {
    if n == N {
        return Cow::Borrowed(given);
    }
    let mut starts = vec![0.0; given.len() / n * N];
    let pairs = starts.chunks_exact_mut(N).zip(given.chunks_exact(n));
    pairs.for_each(|(into, start)| into[..n].copy_from_slice(start));
    Cow::Owned(starts)
}
