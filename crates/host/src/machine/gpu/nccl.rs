//! Exchanges between GPUs of several processes, through NCCL. The library is loaded at run time, if it exists.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys;
use libloading::Library;

use crate::error::{Error, Result};
use crate::settings::communicator::Communicator;

/// The names of the library: at run time, and in development packages.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];
/// `ncclSuccess`
const SUCCESS: Status = 0;
/// `ncclUint8`
const BYTES: c_int = 1;

/// `ncclResult_t`
type Status = c_int;
/// `ncclComm_t`
type Handle = *mut c_void;

/// `ncclUniqueId`
#[repr(C)]
#[derive(Clone, Copy)]
struct UniqueId([u8; 128]);

/// The functions that we call, as in every version 2 of NCCL.
struct Nccl {
    get_version: unsafe extern "C" fn(*mut c_int) -> Status,
    get_unique_id: unsafe extern "C" fn(*mut UniqueId) -> Status,
    init_rank: unsafe extern "C" fn(*mut Handle, c_int, UniqueId, c_int) -> Status,
    all_gather: unsafe extern "C" fn(
        *const c_void,
        *mut c_void,
        usize,
        c_int,
        Handle,
        sys::CUstream,
    ) -> Status,
    destroy: unsafe extern "C" fn(Handle) -> Status,
    abort: unsafe extern "C" fn(Handle) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
}

impl Nccl {
    /// The library, if it exists.
    fn there() -> Option<&'static Nccl> {
        static THERE: OnceLock<Option<Nccl>> = OnceLock::new();
        THERE.get_or_init(Nccl::load).as_ref()
    }

    fn load() -> Option<Nccl> {
        // SAFETY: the library's initialisers are harmless.
        let open = |name: &&str| unsafe { Library::new(*name) }.ok();
        // It is never closed, because its functions are stored.
        let library: &'static Library = Box::leak(Box::new(NAMES.iter().find_map(open)?));
        // SAFETY: each function has the type of its field in every version 2 of the library.
        unsafe {
            Some(Nccl {
                get_version: *library.get(b"ncclGetVersion\0").ok()?,
                get_unique_id: *library.get(b"ncclGetUniqueId\0").ok()?,
                init_rank: *library.get(b"ncclCommInitRank\0").ok()?,
                all_gather: *library.get(b"ncclAllGather\0").ok()?,
                destroy: *library.get(b"ncclCommDestroy\0").ok()?,
                abort: *library.get(b"ncclCommAbort\0").ok()?,
                error_string: *library.get(b"ncclGetErrorString\0").ok()?,
            })
        }
    }

    fn version(&self) -> Option<c_int> {
        let mut version = 0;
        // SAFETY: it writes the version to the given address.
        let said = unsafe { (self.get_version)(&mut version) };
        (said == SUCCESS).then_some(version)
    }

    /// The identifier of a new group of ranks.
    fn unique_id(&self) -> Option<UniqueId> {
        let mut id = UniqueId([0; 128]);
        // SAFETY: it writes 128 bytes to the given address.
        let said = unsafe { (self.get_unique_id)(&mut id) };
        (said == SUCCESS).then_some(id)
    }

    /// Converts the status of a call.
    fn check(&self, call: &'static str, said: Status) -> Result<()> {
        if said == SUCCESS {
            return Ok(());
        }
        // SAFETY: it returns a static text of the library for every status.
        let text = unsafe { (self.error_string)(said) };
        let message = match text.is_null() {
            true => "unknown error".into(),
            // SAFETY: the text ends with a zero byte, and is static.
            false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        };
        Err(Error::Driver { call, code: said as u32, message })
    }
}

/// What a rank sends to the others: the version of its library, if it has one, and its device.
#[derive(Clone, Debug, PartialEq)]
struct Hello {
    version: Option<c_int>,
    device: [u8; 16],
}

impl Hello {
    fn bytes(&self) -> Vec<u8> {
        let version = self.version.unwrap_or(0).to_le_bytes();
        [&version[..], &self.device].concat()
    }
}

/// Whether all ranks have the same library, and each its own device: NCCL does not work if two ranks share a device.
fn can_meet(all: &[Vec<u8>]) -> bool {
    let nobody = Hello { version: None, device: [0; 16] }.bytes();
    let (no_version, alone) = (&nobody[..4], |rank: usize| !all[..rank].contains(&all[rank]));
    let same = |hello: &Vec<u8>| hello.len() == nobody.len() && hello[..4] == all[0][..4];
    all.iter().all(same) && all[0][..4] != *no_version && (0..all.len()).all(alone)
}

/// This rank's membership in a group of devices.
pub(super) struct Group {
    nccl: &'static Nccl,
    handle: Handle,
    rank: u32,
}

impl Group {
    /// Forms a group with the devices of all ranks, which all call this; `None` if they cannot. The device's context
    /// must be current, unless `device` is `None`.
    pub(super) fn meet(
        device: Option<[u8; 16]>,
        others: &dyn Communicator,
    ) -> Result<Option<Group>> {
        let nccl = device.and(Nccl::there());
        let version = nccl.and_then(Nccl::version);
        let own = Hello { version, device: device.unwrap_or_default() };
        let all = others.all_gather(&own.bytes())?;
        let Some(nccl) = nccl.filter(|_| can_meet(&all)) else {
            return Ok(None);
        };
        let (rank, size) = (others.rank(), others.size());
        let id = if rank == 0 { nccl.unique_id() } else { None };
        let ids = others.all_gather(id.as_ref().map_or(&[][..], |id| &id.0))?;
        // If the first rank has no identifier, all ranks receive an empty one.
        let Ok(id) = <[u8; 128]>::try_from(&ids[0][..]) else {
            return Ok(None);
        };
        let mut handle = ptr::null_mut();
        // SAFETY: it writes the handle to the given address, and waits until all ranks have called it. Each of them has
        // seen that all will.
        let said =
            unsafe { (nccl.init_rank)(&mut handle, size as c_int, UniqueId(id), rank as c_int) };
        let met = others.all_gather(&[u8::from(said == SUCCESS)])?;
        if met.iter().all(|met| met == &[1]) {
            return Ok(Some(Group { nccl, handle, rank }));
        }
        if said == SUCCESS {
            // SAFETY: created above, and nothing is enqueued. It does not wait for the other ranks.
            let _ = unsafe { (nccl.abort)(handle) };
        }
        Ok(None)
    }

    /// Enqueues an all-gather: every rank receives this many bytes from each rank, in the order of the ranks.
    ///
    /// # Safety
    ///
    /// While the stream has work, `address` points to device memory with room for the bytes of all ranks. The stream
    /// belongs to the group's device, whose context is current.
    pub(super) unsafe fn all_gather(
        &self,
        address: u64,
        bytes: u64,
        stream: sys::CUstream,
    ) -> Result<()> {
        let own = address + u64::from(self.rank) * bytes;
        let (from, to) = (own as *const c_void, address as *mut c_void);
        // SAFETY: the caller ensures it. The library calls it in place if the send buffer is part of the receive
        // buffer.
        let said =
            unsafe { (self.nccl.all_gather)(from, to, bytes as usize, BYTES, self.handle, stream) };
        self.nccl.check("ncclAllGather", said)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // SAFETY: created by `meet`, destroyed once; its owner has waited for its stream. An error cannot be handled
        // here.
        let _ = unsafe { (self.nccl.destroy)(self.handle) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_meet_is_seen_before() {
        let hello =
            |version: Option<c_int>, device| Hello { version, device: [device; 16] }.bytes();
        let (first, second) = (hello(Some(22304), 1), hello(Some(22304), 2));
        assert!(can_meet(&[first.clone(), second.clone()]));
        assert!(!can_meet(&[first.clone(), first.clone()]), "the same device");
        assert!(!can_meet(&[first.clone(), second, hello(None, 3)]), "no library");
        assert!(!can_meet(&[first, hello(Some(22403), 2)]), "another version");
        assert!(!can_meet(&[hello(None, 1), hello(None, 2)]));
        assert!(!can_meet(&[hello(Some(1), 1), vec![]]));
    }
}
