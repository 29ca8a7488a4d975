//! Large copies between a device and pageable host memory. Several threads copy through pinned buffers of their own, so
//! that their copies overlap. The driver's own method uses a single thread.

use std::slice;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;
use rayon::prelude::*;

use super::super::pages;
use super::Gpu;
use super::context::Context;

/// The number of bytes from which a copy is staged.
pub(super) const LARGE: usize = 2 << 20;
/// Bytes of a piece.
const PIECE: usize = 1 << 19;
/// The largest number of threads.
const THREADS: usize = 16;

/// A piece of pinned host memory, and the event of the copy that uses it.
struct Piece {
    bytes: *mut u8,
    copied: sys::CUevent,
    /// Whether a copy may still use it.
    is_busy: bool,
}

/// The staging buffer of a thread: while the device copies one piece, the thread copies the other.
pub(super) struct Room([Piece; 2]);

// SAFETY: memory and events belong to the driver and are valid in any thread in which the context is current; only one
// thread at a time uses a buffer.
unsafe impl Send for Room {}

impl Room {
    /// Allocates a buffer in the current context. The context is never released, so the buffer is kept for the next
    /// copy.
    fn new() -> Result<Self, DriverError> {
        Ok(Room([Piece::new()?, Piece::new()?]))
    }
}

impl Piece {
    fn new() -> Result<Self, DriverError> {
        let copied = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
        // SAFETY: the memory is not read before it is written.
        let bytes = unsafe { result::malloc_host(PIECE, 0) };
        let bytes = bytes.inspect_err(|_| {
            // SAFETY: nothing else uses the event.
            let _ = unsafe { result::event::destroy(copied) };
        })?;
        Ok(Piece { bytes: bytes.cast(), copied, is_busy: false })
    }

    /// Its first bytes, after waiting until no copy uses them.
    fn free(&mut self, len: usize) -> Result<&mut [u8], DriverError> {
        if self.is_busy {
            // SAFETY: the event is ours.
            unsafe { result::event::synchronize(self.copied) }?;
            self.is_busy = false;
        }
        // SAFETY: it has `PIECE` bytes, and `len` is at most that. No copy uses them, so the borrower has exclusive
        // access.
        Ok(unsafe { slice::from_raw_parts_mut(self.bytes, len) })
    }

    /// Records the event after a copy that has just been enqueued.
    fn mark(&mut self, stream: sys::CUstream) -> Result<(), DriverError> {
        self.is_busy = true;
        // SAFETY: event and stream are ours, of the same context.
        unsafe { result::event::record(self.copied, stream) }
    }
}

/// A stream that several threads use.
#[derive(Clone, Copy)]
struct Queue(sys::CUstream);

// SAFETY: the driver accepts calls for a stream from several threads at once.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    fn stream(self) -> sys::CUstream {
        self.0
    }
}

impl Gpu {
    /// Copies to `address`, after the work in the stream, and waits for the copy.
    ///
    /// # Safety
    ///
    /// `address` points to an array of ours with room for the bytes.
    pub(super) unsafe fn upload_staged(
        &self,
        address: u64,
        from: &[u8],
    ) -> Result<(), DriverError> {
        let queue = Queue(self.stream);
        in_pieces(&self.context, from.chunks(PIECE), |room, next| {
            let mut turn = 0;
            while let Some((number, from)) = next() {
                let piece = &mut room.0[turn % 2];
                let bytes = piece.free(from.len())?;
                bytes.copy_from_slice(from);
                let to = address + (number * PIECE) as u64;
                // SAFETY: the caller ensures it; the piece does not change until the copy is done, because `free` waits
                // for it.
                unsafe { result::memcpy_htod_async(to, bytes, queue.stream()) }?;
                piece.mark(queue.stream())?;
                turn += 1;
            }
            Ok(())
        })
    }

    /// Copies from `address`, after the work in the stream, and waits for the copy.
    ///
    /// # Safety
    ///
    /// `address` points to an array of ours with as many bytes.
    pub(super) unsafe fn download_staged(
        &self,
        address: u64,
        to: &mut [u8],
    ) -> Result<(), DriverError> {
        let queue = Queue(self.stream);
        pages::ask_for_large(to);
        in_pieces(&self.context, to.chunks_mut(PIECE), |room, next| {
            let mut waiting: [Option<&mut [u8]>; 2] = [None, None];
            let mut turn = 0;
            loop {
                let (piece, waiting) = (&mut room.0[turn % 2], &mut waiting[turn % 2]);
                if let Some(to) = waiting.take() {
                    to.copy_from_slice(piece.free(to.len())?);
                }
                if let Some((number, to)) = next() {
                    let bytes = piece.free(to.len())?;
                    let from = address + (number * PIECE) as u64;
                    // SAFETY: the caller ensures it; nothing reads the piece before the copy is done, because `free`
                    // waits for it.
                    unsafe { result::memcpy_dtoh_async(bytes, from, queue.stream()) }?;
                    piece.mark(queue.stream())?;
                    *waiting = Some(to);
                } else if !room.0.iter().any(|piece| piece.is_busy) {
                    return Ok(());
                }
                turn += 1;
            }
        })
    }
}

/// Lets threads copy pieces, each taking the next one. A thread that fails takes no more.
fn in_pieces<T: Send>(
    context: &Context,
    pieces: impl ExactSizeIterator<Item = T> + Send,
    copy: impl Fn(&mut Room, &mut dyn FnMut() -> Option<(usize, T)>) -> Result<(), DriverError> + Sync,
) -> Result<(), DriverError> {
    let threads = crate::machine::system::threads().min(THREADS).min(pieces.len());
    let pieces = Mutex::new(pieces.enumerate());
    let one = || {
        let mut next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        // SAFETY: the context is never released.
        unsafe { result::ctx::set_current(context.context.0) }?;
        let kept = context.rooms().pop();
        let mut room = kept.map_or_else(Room::new, Ok)?;
        let copied = copy(&mut room, &mut next);
        // Even after a failure, no copy may use the buffer when another thread takes it.
        let ended = room.0.iter_mut().try_for_each(|piece| piece.free(0).map(drop));
        if ended.is_ok() {
            context.rooms().push(room);
        }
        copied.and(ended)
    };
    (0..threads).into_par_iter().with_max_len(1).try_for_each(|_| one())
}
