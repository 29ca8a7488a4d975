//! Not a test of right or wrong: what the emulator costs.
mod common;
use common::*;
use warpswarm_device::emulator::LaunchConfig;
use warpswarm_device::{shared::SharedArray, thread, warp};

fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1e-9
}

#[test]
fn speed() {
    for (grid, block, n) in std::env::var("ONE")
        .map(|_| [(1u32, 32u32, 1000000u32); 4])
        .unwrap_or([(1u32, 32u32, 100000u32), (1, 256, 10000), (4, 256, 3000), (20, 256, 1000)])
    {
        launch(&LaunchConfig { cooperative: true, ..blocks(grid, block) }, n, |n| {
            for _ in 0..n / 10 {
                warp::min(3);
            }
        })
        .unwrap();
        let t = cpu();
        launch(&LaunchConfig { cooperative: true, ..blocks(grid, block) }, n, |n| {
            for _ in 0..n {
                warp::min(3);
            }
        })
        .unwrap();
        let s = cpu() - t;
        eprintln!("{grid}x{block}: {} ns/switch", s * 1e9 / (grid * block) as f64 / n as f64);
    }
    for _ in 0..2 {
        let t = cpu();
        launch(&LaunchConfig { cooperative: true, ..blocks(20, 256) }, 0_u32, |_| {}).unwrap();
        eprintln!("5120 empty: {:?}", cpu() - t);
    }
    let t = cpu();
    launch(&blocks(1, 256), 0_u32, |_| {
        let s = unsafe { SharedArray::<u32>::new(0, 256) };
        s.set(thread::index(), 0);
        for _ in 0..10000 {
            s.set(thread::index(), s.get(thread::index()));
        }
    })
    .unwrap();
    eprintln!("shared: {} ns", (cpu() - t) * 1e9 / 2.0 / 256.0 / 1e4);
}
