//! Independence of streams at neighbouring addresses: chi-square tests of pairs and triples.
//!
//! Everything is fixed, so a test that passes once always passes. `docs/explanation/random.md` has the results of a
//! whole battery on longer streams.

use warpswarm_core::random::{Purpose, RunKey, Stream, philox4x32};

/// The number of samples of a test.
const SAMPLES: u64 = 1 << 18;
/// The largest allowed deviation of a statistic, in standard deviations: chance exceeds it once in three million tests,
/// and there are thirteen hundred.
const LIMIT: f64 = 5.1;

/// The block of four words at `address`, however addresses are numbered.
type Blocks = fn(u64) -> [u32; 4];

fn block(seed: u64, run: u64, iteration: u64, individual: u32, pair: u32) -> [u32; 4] {
    Stream::new(RunKey::new(seed, run), Purpose::Move, iteration, individual).block(pair)
}

const NEIGHBOURS: [(&str, Blocks); 9] = [
    ("seeds", |i| block(i, 0, 1, 0, 0)),
    ("seeds far apart", |i| block(i << 32, 0, 1, 0, 0)),
    ("runs", |i| block(1, i, 1, 0, 0)),
    ("iterations", |i| block(1, 0, i, 0, 0)),
    ("late iterations", |i| block(1, 0, (1 << 40) + i, 3, 2)),
    ("individuals", |i| block(1, 0, 1, i as u32, 0)),
    ("pairs of coordinates", |i| block(1, 0, 1, 0, i as u32)),
    ("individuals, iteration by iteration", |i| block(1, 0, i / 64, (i % 64) as u32, 0)),
    ("purposes", |i| {
        let purpose = if i % 2 == 0 { Purpose::Move } else { Purpose::Reentry };
        Stream::new(RunKey::new(1, 0), purpose, i / 2, 0).block(0)
    }),
];

/// The deviation of a chi-square statistic of equally likely cells, in standard deviations.
fn chi_square(counts: &[u32]) -> f64 {
    let expected = counts.iter().map(|&n| f64::from(n)).sum::<f64>() / counts.len() as f64;
    let statistic: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    // The Wilson-Hilferty transformation to a normal variable.
    let (degrees, ninth) = ((counts.len() - 1) as f64, 2.0 / 9.0 / (counts.len() - 1) as f64);
    ((statistic / degrees).cbrt() - (1.0 - ninth)) / ninth.sqrt()
}

/// The worst of all tests of a family of streams, in standard deviations, and its name.
fn worst(blocks: impl Fn(u64) -> [u32; 4]) -> (f64, String) {
    let words: Vec<[u32; 4]> = (0..SAMPLES + 2).map(blocks).collect();
    let mut worst = (0.0, String::new());
    let mut note = |deviations: f64, name: String| {
        if deviations.abs() > f64::abs(worst.0) {
            worst = (deviations, name);
        }
    };
    for word in 0..4 {
        for (bits, shift) in [("high", 28), ("low", 0)] {
            let digit = |i: usize| ((words[i][word] >> shift) & 15) as usize;
            let mut pairs = vec![0; 1 << 8];
            let mut triples = vec![0; 1 << 12];
            for i in (0..SAMPLES as usize).step_by(2) {
                pairs[digit(i) << 4 | digit(i + 1)] += 1;
            }
            for i in (0..SAMPLES as usize).step_by(3) {
                triples[digit(i) << 8 | digit(i + 1) << 4 | digit(i + 2)] += 1;
            }
            note(chi_square(&pairs), format!("pairs of {bits} bits of word {word}"));
            note(chi_square(&triples), format!("triples of {bits} bits of word {word}"));
        }
        // Each bit of two neighbours' difference should be set with probability 1/2.
        for bit in 0..32 {
            let differs = |i: &usize| (words[*i][word] ^ words[i + 1][word]) >> bit & 1 == 1;
            let count = (0..SAMPLES as usize).filter(differs).count() as f64;
            let deviations = (count - SAMPLES as f64 / 2.0) / (SAMPLES as f64 / 4.0).sqrt();
            note(deviations, format!("bit {bit} of differences of word {word}"));
        }
        // A word should be independent of the next one of its block.
        let mut across = vec![0; 1 << 8];
        for block in &words {
            across[(block[word] >> 28 << 4 | block[(word + 1) % 4] >> 28) as usize] += 1;
        }
        note(chi_square(&across), format!("words {word} and the next"));
    }
    worst
}

#[test]
fn neighbouring_streams_are_independent() {
    for (name, blocks) in NEIGHBOURS {
        let (deviations, test) = worst(blocks);
        println!("{name}: {deviations:.2} in {test}");
        assert!(deviations.abs() < LIMIT, "{name}: {deviations:.2} in {test}");
    }
}

#[test]
fn the_tests_notice_a_weak_generator() {
    // Philox with few rounds must fail, and fail clearly.
    let few = worst(|i| philox4x32::<2>([i as u32, 0, 1, 0], [7, 9]));
    assert!(few.0.abs() > 100.0, "{few:?}");
    let seven = worst(|i| philox4x32::<7>([i as u32, 0, 1, 0], [7, 9]));
    assert!(seven.0.abs() < LIMIT, "{seven:?}");
    // So must neighbours that are equal, and those that are too different.
    let repeated = worst(|i| block(1, 0, i / 2, 0, 0));
    assert!(repeated.0.abs() > 100.0, "{repeated:?}");
    let even = worst(|i| [(i as u32).wrapping_mul(0x9e37_79b9); 4]);
    assert!(even.0.abs() > 100.0, "{even:?}");
}

#[test]
fn draws_are_uniform_and_uncorrelated() {
    // The mean of 2 n draws, the covariance of r1 and r2, and that of neighbouring coordinates.
    let key = RunKey::new(3, 0);
    let n = 200_000;
    let (mut sum, mut within, mut between) = (0.0, 0.0, 0.0);
    for individual in 0..n {
        let stream = Stream::new(key, Purpose::Move, 1, individual);
        let [[a, b], [c, d]] =
            stream.coordinate_draws::<f32>(0).map(|r| r.map(|r| f64::from(r.open())));
        assert!([a, b, c, d].iter().all(|&u| 0.0 < u && u < 1.0));
        sum += a + b;
        within += (a - 0.5) * (b - 0.5) + (c - 0.5) * (d - 0.5);
        between += (a - 0.5) * (c - 0.5) + (b - 0.5) * (d - 0.5);
    }
    let count = 2.0 * f64::from(n);
    let deviations = [
        (sum - count / 2.0) / (count / 12.0).sqrt(),
        within / (count / 144.0).sqrt(),
        between / (count / 144.0).sqrt(),
    ];
    assert!(deviations.iter().all(|z| z.abs() < 4.0), "{deviations:?}");
}
