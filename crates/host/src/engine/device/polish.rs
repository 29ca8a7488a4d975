//! Local searches of many runs, on a device.

use warpswarm_core::Float;
use warpswarm_core::launch::{POLISH_BLOCK, PolishRuns, Ptr, polish_numbers};

use super::memory::{DataArrays, Transfer};
use crate::engine::selected_devices;
use crate::error::{Error, Result};
use crate::machine::{Kernel, Machine, Parameter, Shape};
use crate::objective::slopes::OwnKernels;
use crate::settings::Settings;
use crate::settings::choices::Backend;

/// The largest number of bytes of work space: with fewer threads, runs wait for each other.
const MOST_BYTES: usize = 1 << 30;

/// The local searches to carry out.
#[derive(Debug)]
pub(crate) struct Searches<'a, R> {
    /// The starting points, `[run][coordinate]`.
    pub(crate) points: Vec<R>,
    pub(crate) dimensions: usize,
    /// The largest number of evaluations of each search; 0 for none.
    pub(crate) budgets: &'a [u32],
    /// Lower and upper bounds: of all runs together, or `[run][coordinate]`.
    pub(crate) bounds: [&'a [R]; 2],
    /// Whether each coordinate keeps its value.
    pub(crate) fixed: &'a [bool],
    pub(crate) constraints: usize,
}

/// The results of local searches.
pub(crate) struct Searched<R> {
    /// `[run][coordinate]`
    pub(crate) points: Vec<R>,
    /// `[run]`
    pub(crate) values: Vec<R>,
    /// `[run]`
    pub(crate) violations: Vec<R>,
    /// Steps, evaluations and gradients, `[run]`.
    pub(crate) done: Vec<[u32; 4]>,
}

impl<R: Float> OwnKernels<'_, R> {
    /// Carries out searches on the first device that the settings name; `None` if no such kernel was exported.
    pub(crate) fn polished(
        &self,
        searches: &Searches<'_, R>,
        settings: &Settings,
    ) -> Result<Option<Searched<R>>> {
        match settings.backend {
            Backend::Cpu => Ok(None),
            Backend::Auto | Backend::Gpu => {
                self.polished_on(selected_devices::gpus(settings)?.open(0)?, searches)
            }
            #[cfg(feature = "emulator")]
            Backend::Emulator => {
                self.polished_on(selected_devices::emulators(settings)?.open(0)?, searches)
            }
            #[cfg(not(feature = "emulator"))]
            Backend::Emulator => Err(Error::NoEmulator),
        }
    }

    fn polished_on<M: Machine>(
        &self,
        mut machine: M,
        searches: &Searches<'_, R>,
    ) -> Result<Option<Searched<R>>> {
        let kernel = Kernel::new(format!("polish_{}_{}", self.name, R::NAME), Some(self.own));
        match machine.load(&kernel) {
            Err(Error::NoSuchKernel { .. }) => return Ok(None),
            loaded => loaded?,
        }
        let Searches { points, dimensions, budgets, bounds, fixed, constraints } = searches;
        let (runs, n) = (budgets.len(), *dimensions);
        let of_thread = polish_numbers(n, *constraints) + n;
        let block = POLISH_BLOCK.min((runs as u32).next_multiple_of(32));
        let at_once = machine.occupancy(&kernel, block, 0)?.max(1) * machine.multiprocessors();
        let room = (MOST_BYTES / (of_thread * size_of::<R>()) / block as usize).max(1) as u32;
        let grid = (runs as u32).div_ceil(block).min(at_once).min(room);
        let threads = (grid * block) as usize;

        let mut data = DataArrays::nowhere(self.data);
        let [mut at, mut values, mut violations, mut lower, mut upper] = [0; 5];
        let [mut work, mut rows, mut of_fixed, mut of_budgets, mut done] = [0; 5];
        let numbers = |count: usize| (count * size_of::<R>()) as u64;
        let words = |count: usize| (count * size_of::<u32>()) as u64;
        let [of_all, of_runs] = data.room::<R>(runs);
        machine.allocate_all(&mut [
            of_all,
            of_runs,
            (&mut at, numbers(points.len())),
            (&mut values, numbers(runs)),
            (&mut violations, numbers(runs)),
            (&mut lower, numbers(bounds[0].len())),
            (&mut upper, numbers(bounds[1].len())),
            (&mut work, numbers(threads * (of_thread - n))),
            (&mut rows, numbers(threads * n)),
            (&mut of_fixed, words(n)),
            (&mut of_budgets, words(runs)),
            (&mut done, words(4 * runs)),
        ])?;
        data.share(self.data, &mut machine)?;
        data.take(self.data, 0..runs, &mut machine)?;
        machine.store_numbers(at, 0, points)?;
        machine.store_numbers(lower, 0, bounds[0])?;
        machine.store_numbers(upper, 0, bounds[1])?;
        let bytes =
            |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        machine
            .upload(of_fixed, &bytes(&fixed.iter().map(|&is| u32::from(is)).collect::<Vec<_>>()))?;
        machine.upload(of_budgets, &bytes(budgets))?;
        let mut parameter = Parameter::of(PolishRuns::<R> {
            data: data.args(0, runs as u32, 1),
            points: Ptr::at(at),
            values: Ptr::at(values),
            violations: Ptr::at(violations),
            lower: Ptr::at(lower),
            upper: Ptr::at(upper),
            fixed: Ptr::at(of_fixed),
            budgets: Ptr::at(of_budgets),
            done: Ptr::at(done),
            work: Ptr::at(work),
            rows: Ptr::at(rows),
            runs: runs as u32,
            dimensions: n as u32,
            constraints: *constraints as u32,
            threads: threads as u32,
            apart: if bounds[0].len() == n { 0 } else { n as u32 },
            padding: 0,
        });
        parameter.append(&self.objective);
        let shape = Shape { grid, block, shared: 0, cooperative: false, cluster: 0 };
        machine.launch(&kernel, shape, &parameter)?;
        let count = runs as u64;
        let mut did = vec![[0; 4]; runs];
        machine.fetch_outcomes::<R>(done, &mut did)?;
        Ok(Some(Searched {
            points: machine.fetch_numbers(at, 0, points.len() as u64)?,
            values: machine.fetch_numbers(values, 0, count)?,
            violations: machine.fetch_numbers(violations, 0, count)?,
            done: did,
        }))
    }
}
