//! Panics of kernels.
//!
//! Only the panic hook knows a panic's place. The emulator puts a hook of its own before the present one. It records
//! the place of a panic inside a kernel, which becomes a fault, and passes every other panic on. The present hook would
//! also be unsafe to call inside a kernel: it prints backtraces, which need more stack than an emulated thread has.

use core::any::Any;
use std::cell::RefCell;
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::Once;

use super::context;
use super::fault::Place;

thread_local! {
    static LAST: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// Installs the emulator's hook, once in the process.
pub(super) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if context::in_kernel() {
                keep_place(panic);
            } else {
                others(panic);
            }
        }));
    });
}

fn keep_place(panic: &PanicHookInfo<'_>) {
    LAST.set(panic.location().map(Place::from));
}

/// The place of the last panic in a kernel on this thread.
pub(super) fn take_place() -> Option<Place> {
    LAST.take()
}

/// The message of a panic.
pub(super) fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "the kernel panicked with something that is not a text".to_owned()
    }
}
