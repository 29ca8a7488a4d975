//! GPUs that a run was to have, and does not.

use std::io::{self, Write};

use warpswarm::{Backend, Devices, Settings};

/// Prints a note if `--backend auto` has chosen the CPU for a run that was to have some GPUs.
pub(super) fn note_ignored(settings: &Settings, chosen: Backend) {
    if let Some(note) = ignored(settings, chosen) {
        // The run does not depend on it: if stderr is closed, nobody needs to read it.
        let _ = writeln!(io::stderr(), "note: {note}");
    }
}

/// What is to be said of GPUs that are ignored. With a backend other than auto, the library refuses them on the CPU.
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
