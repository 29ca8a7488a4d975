//! The stacks of emulated threads, lent to one launch after another.
//!
//! A stack with its guard page takes two memory mappings, and a process has 65,530 of them (the default of Linux). All
//! launches of a process together therefore get at most [`MOST`] stacks. A launch that finds too few waits for others
//! to end. No launch waits for a waiting one, because each takes all its stacks at once.

#[cfg(all(test, not(miri)))]
mod in_loom;
mod stock;

use std::io;
use std::sync::LazyLock;

use self::stock::{Loan, Stock};

/// The stock's locks; `in_loom` uses others.
mod sync {
    pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
}

/// Bytes of a stack. Only touched pages take memory.
#[cfg(not(miri))]
const STACK_BYTES: usize = 128 * 1024;

/// The most stacks in use in the whole process.
pub(super) const MOST: usize = 24 * 1024;

/// Stacks that are kept for later launches.
const KEPT: usize = 8 * 1024;

#[cfg(not(miri))]
pub(super) use mapped::Stack;

/// Under Miri, emulated threads have stacks of the operating system.
#[cfg(miri)]
pub(super) struct Stack;

#[cfg(miri)]
impl Stack {
    fn new(_: usize) -> io::Result<Self> {
        Ok(Stack)
    }
}

#[cfg(not(miri))]
mod mapped {
    use std::io;

    use corosensei::stack::{DefaultStack, StackPointer};

    use super::STACK_BYTES;

    /// A stack that begins a little below the end of its memory, each at another distance. If all tops were at the same
    /// place in a page, they would evict each other from the L1 cache.
    pub(in super::super) struct Stack {
        memory: DefaultStack,
        base: StackPointer,
    }

    impl Stack {
        pub(super) fn new(number: usize) -> io::Result<Self> {
            use corosensei::stack::Stack as _;
            let memory = DefaultStack::new(STACK_BYTES)?;
            let distance = number % 32 * 128;
            let base = StackPointer::new(memory.base().get() - distance)
                .ok_or_else(|| io::Error::other("a stack at address zero"))?;
            Ok(Stack { memory, base })
        }
    }

    // SAFETY: the memory is DefaultStack's, with its guard page at the lower end. It is far larger than the distance
    // that is left out at the upper end, a multiple of the alignment.
    unsafe impl corosensei::stack::Stack for Stack {
        #[inline]
        fn base(&self) -> StackPointer {
            self.base
        }
        #[inline]
        fn limit(&self) -> StackPointer {
            self.memory.limit()
        }
        #[cfg(windows)]
        fn teb_fields(&self) -> corosensei::stack::StackTebFields {
            self.memory.teb_fields()
        }
        #[cfg(windows)]
        fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
            self.memory.update_teb_fields(stack_limit, guaranteed_stack_bytes);
        }
    }
}

/// The stacks of one launch.
pub(super) type Stacks = Loan<'static, Stack>;

/// Lends `count` stacks, at most [`MOST`], as soon as they are free.
pub(super) fn lend(count: usize) -> io::Result<Stacks> {
    static STOCK: LazyLock<Stock<Stack>> = LazyLock::new(|| Stock::new(MOST, KEPT));
    if count > MOST {
        let message = format!("{count} threads at once, of which there can be {MOST}");
        return Err(io::Error::other(message));
    }
    STOCK.lend(count, Stack::new)
}
