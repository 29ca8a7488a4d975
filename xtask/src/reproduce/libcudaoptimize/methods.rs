//! The implementations that are compared, as the program runs them.

use anyhow::{Result, ensure};

use super::paper::SETS;
use crate::reproduce::Options;
use crate::reproduce::measure::Load;
use crate::reproduce::program::{Program, Solved, words};

/// Where the swarm moves, and where it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// All on one thread, as the paper's in C++.
    Cpu,
    /// All on as many threads as there are; not the paper's.
    Threads,
    /// The swarm on the GPU, its evaluation on one thread.
    Hosted,
    /// All on the GPU.
    Gpu,
}

impl Method {
    pub(crate) const ALL: [Method; 4] = [Method::Cpu, Method::Threads, Method::Hosted, Method::Gpu];
    const ON_CPU: [Method; 2] = [Method::Cpu, Method::Threads];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Cpu => "CPU",
            Method::Threads => "CPU, threads",
            Method::Hosted => "CPU + GPU",
            Method::Gpu => "GPU",
        }
    }

    /// Where it runs, in the program's words.
    fn place(self, gpu: &str) -> String {
        match self {
            Method::Cpu => "--backend cpu --threads 1".into(),
            Method::Threads => "--backend cpu".into(),
            Method::Hosted => format!("--backend {gpu} --schedule hosted --threads 1"),
            Method::Gpu => format!("--backend {gpu}"),
        }
    }
}

/// How far along the axes of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) generations: u64,
    pub(crate) particles: u64,
}

fn question(size: Size, load: Load, place: &str) -> String {
    let (particles, Load { work, seed }) = (size.particles, load);
    format!(
        "image-registration --algorithm pso --set preset=libcudaoptimize --precision f32 --runs {SETS} \
         --individuals {particles} --iterations {work} --seed {seed} {place}"
    )
}

/// The methods that can be run here.
#[derive(Debug)]
pub(crate) struct Bench<'a> {
    program: &'a Program,
    /// The backend that is the GPU; none without a GPU.
    gpu: Option<String>,
}

impl<'a> Bench<'a> {
    /// With what the options name as the GPU, unless that is the CPU.
    pub(crate) fn new(options: &Options, program: &'a Program) -> Bench<'a> {
        let gpu = (options.backend != "cpu").then(|| options.backend.clone());
        Bench { program, gpu }
    }

    pub(crate) fn methods(&self) -> &'static [Method] {
        if self.gpu.is_some() { &Method::ALL } else { &Method::ON_CPU }
    }

    /// Runs, and sees that all iterations were done.
    pub(crate) fn ask(&self, method: Method, size: Size, load: Load) -> Result<Solved> {
        let place = method.place(self.gpu.as_deref().unwrap_or("gpu"));
        let solved = self.program.solve(words(&question(size, load, &place)))?;
        let done = solved.runs.iter().all(|run| run.iterations == load.work);
        ensure!(done, "{}: not all iterations were done, {size:?}, {load:?}", method.name());
        Ok(solved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_in_words() {
        let (size, load) = (Size { generations: 200, particles: 64 }, Load { work: 20, seed: 3 });
        let common = "image-registration --algorithm pso --set preset=libcudaoptimize --precision f32 \
                      --runs 2 --individuals 64 --iterations 20 --seed 3 ";
        let places = [
            "--backend cpu --threads 1",
            "--backend cpu",
            "--backend gpu --schedule hosted --threads 1",
            "--backend gpu",
        ];
        for (method, place) in Method::ALL.into_iter().zip(places) {
            assert_eq!(question(size, load, &method.place("gpu")), format!("{common}{place}"));
        }
        assert!(Method::Gpu.place("emulator").ends_with("--backend emulator"));
    }
}
