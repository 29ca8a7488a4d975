//! Notes about GPUs: a slow first set-up, and GPUs that were requested but are not used.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use warpswarm::{Backend, Devices, Settings, system};

use crate::run::Run;

/// The time after which a slow set-up is explained.
const PATIENCE: Duration = Duration::from_secs(1);

/// Sets up a run. If that takes long and may be due to a GPU, prints a note with the reason.
pub(super) fn set_up<T>(settings: &Settings, work: impl FnOnce() -> T) -> T {
    if !matches!(settings.backend, Backend::Auto | Backend::Gpu) {
        return work();
    }
    while_patient(PATIENCE, work, || {
        // Only checked now, because the check takes time too.
        if system::report().gpu.is_ok() {
            let _ = writeln!(
                io::stderr(),
                "note: setting up the GPU; the first time, the driver compiles the kernels, which takes some seconds"
            );
        }
    })
}

/// Does some work. If it takes longer than `patience`, calls `say` once.
fn while_patient<T>(patience: Duration, work: impl FnOnce() -> T, say: impl FnOnce() + Send) -> T {
    thread::scope(|scope| {
        let (done, waits) = mpsc::channel::<()>();
        scope.spawn(move || {
            if waits.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                say();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Prints a note if `--backend auto` has chosen the CPU although the command line requests GPUs.
pub(super) fn note_ignored(run: &Run, chosen: Backend) {
    if let (true, Some(note)) = (run.requests_gpus, ignored(&run.settings, chosen)) {
        // The run does not depend on the note, so a closed stderr is ignored.
        let _ = writeln!(io::stderr(), "note: {note}");
    }
}

/// Prints a note if the command line requests that GPUs share the individuals of islands that ranks share.
pub(super) fn note_not_split(run: &Run) {
    if run.requests_gpus && run.settings.split {
        let _ = writeln!(
            io::stderr(),
            "note: --split shares nothing with --islands on several ranks, because each rank uses one GPU; leave it out"
        );
    }
}

/// The note on GPUs that are ignored. With a backend other than auto, the library refuses such settings on the CPU.
fn ignored(settings: &Settings, chosen: Backend) -> Option<String> {
    let Settings { backend, devices, split, .. } = settings;
    let asked = match *devices != Devices::default() {
        true => format!("--devices is {devices}, which is ignored"),
        false if *split => "--split needs GPUs, and shares nothing here".into(),
        false => return None,
    };
    (*backend == Backend::Auto && chosen == Backend::Cpu).then(|| {
        format!(
            "{asked}: no GPU can be used for this run, so it runs on the CPU (--backend gpu says why)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_said_once() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let said = AtomicU32::new(0);
        let say = || {
            said.fetch_add(1, Ordering::Relaxed);
        };
        assert_eq!(while_patient(Duration::from_secs(60), || 7, say), 7);
        assert_eq!(said.load(Ordering::Relaxed), 0);
        let slow = || thread::sleep(Duration::from_millis(200));
        while_patient(Duration::from_millis(1), slow, say);
        assert_eq!(said.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn only_devices_that_are_asked_for_and_ignored_are_noted() {
        let of = |backend, devices| Settings { backend, devices, ..Settings::default() };
        let all = of(Backend::Auto, Devices::All);
        let note = ignored(&all, Backend::Cpu).unwrap();
        assert!(note.starts_with("--devices is all, which is ignored"), "{note}");
        assert_eq!(ignored(&all, Backend::Gpu), None);
        assert_eq!(ignored(&of(Backend::Auto, Devices::default()), Backend::Cpu), None);
        assert_eq!(ignored(&of(Backend::Emulator, Devices::All), Backend::Emulator), None);
        let split = Settings { split: true, ..Settings::default() };
        let note = ignored(&split, Backend::Cpu).unwrap();
        assert!(note.starts_with("--split needs GPUs, and shares nothing here: no GPU"), "{note}");
        assert_eq!(ignored(&split, Backend::Gpu), None);
        let two = ignored(&of(Backend::Auto, Devices::of(&[0, 2])), Backend::Cpu).unwrap();
        assert!(two.starts_with("--devices is 0,2,"), "{two}");
    }
}
