//! Code shared by fuzz targets. A target is an ordinary test. It replays its stored files (bolero's folder `__fuzz__`
//! next to it), and then tries some hundred random inputs, always the same ones, or as many as possible in
//! `WARPSWARM_FUZZ_SECONDS`. With `cargo bolero test --package PACKAGE TARGET`, libFuzzer chooses inputs by code
//! coverage.
//!
//! A reader may reject an input. It must not panic, need more than [`MOST_MEMORY`], or take longer than [`LONGEST`].

use std::alloc::System;
use std::env;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cap::Cap;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The memory limit of the process, in bytes. Larger allocations fail, as on a machine without more memory.
pub const MOST_MEMORY: usize = 1 << 30;
/// The time limit of one input.
pub const LONGEST: Duration = Duration::from_secs(10);
/// The length of a random input, in bytes.
const BYTES: Range<usize> = 0..120;
/// First bytes that no file has. Targets use them to mark other kinds of inputs.
pub const MARKS: [u8; 5] = [0xff, 0xfe, 0xfd, 0xfc, 0xfb];

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MOST_MEMORY);

/// A reader of inputs, and the number of inputs that it has read.
#[derive(Debug)]
pub struct Target {
    name: &'static str,
    inputs: AtomicU64,
    longest: AtomicU64,
}

impl Target {
    /// A target with a readable name.
    pub fn new(name: &'static str) -> Self {
        // The allocator is used here, so that it is linked.
        assert!(ALLOCATOR.limit() == MOST_MEMORY);
        Target { name, inputs: AtomicU64::new(0), longest: AtomicU64::new(0) }
    }

    /// Reads one input.
    ///
    /// # Panics
    ///
    /// If the reader panics or takes too long.
    pub fn one(&self, input: &[u8], read: impl Fn(&[u8])) {
        self.inputs.fetch_add(1, Ordering::Relaxed);
        let start = Instant::now();
        read(input);
        let took = start.elapsed();
        self.longest.fetch_max(took.as_micros() as u64, Ordering::Relaxed);
        assert!(took < LONGEST, "an input takes {took:?}");
    }

    /// Reads this number of random inputs, or as many as possible if a time is set. Prints the total number of inputs.
    ///
    /// # Panics
    ///
    /// If the reader panics; the input is printed.
    pub fn at_random(self, inputs: u64, read: impl Fn(&[u8])) {
        let seconds = env::var("WARPSWARM_FUZZ_SECONDS").ok();
        let seconds = seconds.map(|text| text.parse().expect("whole seconds"));
        let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
        let mut left = inputs;
        while end.map_or(left > 0, |end| Instant::now() < end) {
            left = left.saturating_sub(1);
            let mut input = vec![0; random.random_range(BYTES)];
            random.fill(&mut input[..]);
            if let (Some(first), true) = (input.first_mut(), random.random()) {
                *first = MARKS[usize::from(*first) % MARKS.len()];
            }
            let read = panic::catch_unwind(AssertUnwindSafe(|| self.one(&input, &read)));
            if let Err(panic) = read {
                println!("the input was {input:?}");
                panic::resume_unwind(panic);
            }
        }
        let Target { name, inputs, longest } = self;
        println!("reliability: inputs fuzzed, {name} = {}", inputs.into_inner());
        println!("{name}: the longest took {} us", longest.into_inner());
    }
}

/// Applies changes to an original. Each change has four bytes: its position (two), its kind, and a value.
pub fn changed(original: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for change in changes.chunks_exact(4) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % (bytes.len() + 1);
        let value = change[3];
        let most = u64::MAX >> (value & 63);
        let odd = [0.0, -0.0, 1.0, -1.0, 1e30, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let odd = odd[usize::from(value & 7)];
        match change[2] % 8 {
            0 => overwrite(&mut bytes, at, &[value]),
            1 => bytes.insert(at, value),
            2 => drop(bytes.drain(at..(at + usize::from(value)).min(bytes.len()))),
            3 => bytes.truncate(at),
            4 => overwrite(&mut bytes, at, &most.to_le_bytes()),
            // In the format of variable-length numbers.
            5 => overwrite(&mut bytes, at, &[0xff, 0xff, 0xff, 0xff, value | 0x80, 0x0f][..]),
            6 if value < 128 => overwrite(&mut bytes, at, &(odd as f32).to_le_bytes()),
            6 => overwrite(&mut bytes, at, &odd.to_le_bytes()),
            _ => {
                let end = (at + usize::from(value)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
        }
        bytes.truncate(1 << 16);
    }
    bytes
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, with) in bytes[at..].iter_mut().zip(with) {
        *byte = *with;
    }
}

/// Selects a word for each byte.
pub fn words<'a>(input: &[u8], words: &[&'a str]) -> Vec<&'a str> {
    input.iter().map(|byte| words[usize::from(*byte) % words.len()]).collect()
}
