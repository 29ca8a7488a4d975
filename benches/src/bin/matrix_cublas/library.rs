//! cuBLAS and cuRAND, loaded at run time like the driver, and two kernels of our own.

// Calls of three C libraries, with pointers to the device's memory.
#![allow(unsafe_code)]

use std::ffi::{CString, c_int, c_ulonglong, c_void};
use std::ptr;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, result, sys};
use libloading::Library;

use crate::blas::{Blas, Buffer, Matrix, Side, Vector};

/// File names of the libraries, of CUDA 13 and of earlier versions.
const CUBLAS: [&str; 4] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"];
const CURAND: [&str; 2] = ["libcurand.so.10", "libcurand.so"];

const KERNELS: &str = include_str!("kernels.ptx");
const BLOCK: u32 = 256;
/// `CURAND_RNG_PSEUDO_PHILOX4_32_10`
const PHILOX: c_int = 161;
/// `CUBLAS_OP_N`
const PLAIN: c_int = 0;
/// `CUBLAS_OP_T`
const TRANSPOSED: c_int = 1;
/// `CUBLAS_FILL_MODE_LOWER`
const LOWER: c_int = 0;

type Handle = *mut c_void;
type Numbers = *const f32;
type Out = *mut f32;

/// Defines a struct with functions of a library, and a function that loads them.
macro_rules! functions {
    ($name:ident: $($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        struct $name {
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl $name {
            fn load(names: &[&str]) -> Result<Self> {
                let library = open(names)?;
                Ok($name {
                    // SAFETY: the function has this type in every version of the library in `names`.
                    $($field: *unsafe { library.get($symbol.as_bytes()) }
                        .with_context(|| format!("{} has no {}", names[0], $symbol))?,)*
                })
            }
        }
    };
}

functions! { Cublas:
    create = "cublasCreate_v2" (*mut Handle);
    version = "cublasGetVersion_v2" (Handle, *mut c_int);
    destroy = "cublasDestroy_v2" (Handle);
    stream = "cublasSetStream_v2" (Handle, sys::CUstream);
    geam = "cublasSgeam" (Handle, c_int, c_int, c_int, c_int, Numbers, Numbers, c_int, Numbers, Numbers, c_int, Out, c_int);
    dgmm = "cublasSdgmm" (Handle, c_int, c_int, c_int, Numbers, c_int, Numbers, c_int, Out, c_int);
    sbmv = "cublasSsbmv_v2" (Handle, c_int, c_int, c_int, Numbers, Numbers, c_int, Numbers, c_int, Numbers, Out, c_int);
    ger = "cublasSger_v2" (Handle, c_int, c_int, Numbers, Numbers, c_int, Numbers, c_int, Out, c_int);
    axpy = "cublasSaxpy_v2" (Handle, c_int, Numbers, Numbers, c_int, Out, c_int);
    gemv = "cublasSgemv_v2" (Handle, c_int, c_int, c_int, Numbers, Numbers, c_int, Numbers, c_int, Numbers, Out, c_int);
    copy = "cublasScopy_v2" (Handle, c_int, Numbers, c_int, Out, c_int);
    amin = "cublasIsamin_v2" (Handle, c_int, Numbers, c_int, *mut c_int);
}

functions! { Curand:
    create = "curandCreateGenerator" (*mut Handle, c_int);
    destroy = "curandDestroyGenerator" (Handle);
    stream = "curandSetStream" (Handle, sys::CUstream);
    seed = "curandSetPseudoRandomGeneratorSeed" (Handle, c_ulonglong);
    uniform = "curandGenerateUniform" (Handle, Out, usize);
}

/// The first of these libraries that can be loaded.
fn open(names: &[&str]) -> Result<&'static Library> {
    for name in names {
        // SAFETY: the library's initialisers are harmless.
        if let Ok(library) = unsafe { Library::new(*name) } {
            // The library is never closed, because its functions are kept.
            return Ok(Box::leak(Box::new(library)));
        }
    }
    bail!("there is no {}: put its folder into LD_LIBRARY_PATH", names.join(", nor "))
}

/// Checks the status of a library's call; zero is success.
fn check(call: &str, status: c_int) -> Result<()> {
    ensure!(status == 0, "{call} failed with status {status}");
    Ok(())
}

fn int(n: usize) -> Result<c_int> {
    c_int::try_from(n).context("more than cuBLAS counts in 32 bits")
}

/// The libraries, and the memory of a swarm on the first GPU.
pub(crate) struct Gpu {
    cublas: Cublas,
    curand: Curand,
    blas: Handle,
    generator: Handle,
    stream: Arc<CudaStream>,
    slices: Vec<CudaSlice<f32>>,
    module: sys::CUmodule,
    mark: sys::CUfunction,
    choose: sys::CUfunction,
    size: (usize, usize),
}

/// The name of the first GPU, and the version of cuBLAS.
pub(crate) fn describe() -> Result<(String, c_int)> {
    let gpu = Gpu::new((1, 1))?;
    let mut version = 0;
    // SAFETY: the handle is valid; the call writes one number.
    check("cublasGetVersion", unsafe { (gpu.cublas.version)(gpu.blas, &mut version) })?;
    Ok((gpu.stream.context().name()?, version))
}

impl Gpu {
    pub(crate) fn new(size: (usize, usize)) -> Result<Self> {
        open(&["libcuda.so.1"]).context("there is no NVIDIA driver")?;
        let stream = CudaContext::new(0).context("there is no GPU")?.default_stream();
        let (cublas, curand) = (Cublas::load(&CUBLAS)?, Curand::load(&CURAND)?);
        let (mut blas, mut generator) = (ptr::null_mut(), ptr::null_mut());
        let queue = stream.cu_stream();
        // SAFETY: each handle is created before its use. The context was just created, so it is current; the stream
        // belongs to it.
        unsafe {
            check("cublasCreate", (cublas.create)(&mut blas))?;
            check("cublasSetStream", (cublas.stream)(blas, queue))?;
            check("curandCreateGenerator", (curand.create)(&mut generator, PHILOX))?;
            check("curandSetStream", (curand.stream)(generator, queue))?;
            check("curandSetSeed", (curand.seed)(generator, 1))?;
        }
        let zeros = |buffer: &Buffer| stream.alloc_zeros::<f32>(buffer.len(size));
        let slices = Buffer::ALL.iter().map(zeros).collect::<Result<_, _>>()?;
        let text = CString::new(KERNELS)?;
        // SAFETY: the text is PTX and ends with a zero byte; the names are those of its entries.
        let (module, mark, choose) = unsafe {
            let module = result::module::load_data(text.as_ptr().cast())?;
            let entry = |name: &str| {
                result::module::get_function(module, CString::new(name).unwrap_or_default())
            };
            (module, entry("mark")?, entry("choose")?)
        };
        Ok(Gpu { cublas, curand, blas, generator, stream, slices, module, mark, choose, size })
    }

    /// The device address of a vector of `count` numbers; an error if it exceeds its buffer.
    fn address(&self, Vector(buffer, first): Vector, count: usize) -> Result<sys::CUdeviceptr> {
        let slice = &self.slices[buffer as usize];
        ensure!(first + count <= slice.len(), "{buffer:?} has no {count} numbers from {first} on");
        let (address, _in_order) = slice.device_ptr(&self.stream);
        Ok(address + (first * size_of::<f32>()) as u64)
    }

    fn vector(&self, vector: Vector, count: usize) -> Result<Out> {
        Ok(self.address(vector, count)? as Out)
    }

    /// The address and leading dimension of a matrix with m rows and n columns.
    fn matrix(&self, (m, n): (usize, usize), Matrix(buffer, lead): Matrix) -> Result<(Out, c_int)> {
        ensure!(lead >= m, "the leading dimension of {buffer:?} is {lead}, of {m} rows");
        Ok((self.vector(Vector(buffer, 0), (n - 1) * lead + m)?, int(lead)?))
    }

    fn launch(
        &self,
        kernel: sys::CUfunction,
        threads: usize,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        let blocks = u32::try_from(threads.div_ceil(BLOCK as usize))?;
        let queue = self.stream.cu_stream();
        // SAFETY: the arguments are those of the kernel, which accesses no index beyond `threads`.
        unsafe {
            result::launch_kernel(kernel, (blocks, 1, 1), (BLOCK, 1, 1), 0, queue, arguments)?
        };
        Ok(())
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: `new` created all handles, and no other code has them. Errors cannot be handled here.
        unsafe {
            let _ = (self.cublas.destroy)(self.blas);
            let _ = (self.curand.destroy)(self.generator);
            let _ = result::module::unload(self.module);
        }
    }
}

// SAFETY of all calls below: addresses belong to live buffers, and `vector` and `matrix` have checked that these are
// long enough for the sizes. Factors are on the host, where cuBLAS reads them by default before it returns. Calls and
// copies are in one stream, and therefore in order.
impl Blas for Gpu {
    fn uniform(&mut self, out: Buffer) -> Result<()> {
        let count = out.len(self.size);
        let out = self.vector(Vector(out, 0), count)?;
        // SAFETY: see above. An odd count is allowed; only normal numbers are generated in pairs.
        check("curandGenerateUniform", unsafe { (self.curand.uniform)(self.generator, out, count) })
    }

    fn geam(
        &mut self,
        size: (usize, usize),
        (alpha, a): (f32, Matrix),
        (beta, b): (f32, Matrix),
        c: Matrix,
    ) -> Result<()> {
        let (m, n) = (int(size.0)?, int(size.1)?);
        let [(a, lda), (b, ldb), (c, ldc)] =
            [self.matrix(size, a)?, self.matrix(size, b)?, self.matrix(size, c)?];
        // SAFETY: see above.
        check("cublasSgeam", unsafe {
            (self.cublas.geam)(self.blas, PLAIN, PLAIN, m, n, &alpha, a, lda, &beta, b, ldb, c, ldc)
        })
    }

    fn dgmm(
        &mut self,
        side: Side,
        size: (usize, usize),
        a: Matrix,
        x: Vector,
        c: Matrix,
    ) -> Result<()> {
        let (m, n) = (int(size.0)?, int(size.1)?);
        let ((a, lda), (c, ldc)) = (self.matrix(size, a)?, self.matrix(size, c)?);
        let x = self.vector(x, if side == Side::Left { size.0 } else { size.1 })?;
        // `CUBLAS_SIDE_LEFT` is 0, and `CUBLAS_SIDE_RIGHT` is 1.
        let side = c_int::from(side == Side::Right);
        // SAFETY: see above.
        check("cublasSdgmm", unsafe {
            (self.cublas.dgmm)(self.blas, side, m, n, a, lda, x, 1, c, ldc)
        })
    }

    fn sbmv(
        &mut self,
        n: usize,
        (alpha, a): (f32, Buffer),
        x: Vector,
        (beta, y): (f32, Vector),
    ) -> Result<()> {
        // There is only the main diagonal, so the stored matrix has one row.
        let (a, lda) = self.matrix((1, n), Matrix(a, 1))?;
        let (x, y, n) = (self.vector(x, n)?, self.vector(y, n)?, int(n)?);
        // SAFETY: see above.
        check("cublasSsbmv", unsafe {
            (self.cublas.sbmv)(self.blas, LOWER, n, 0, &alpha, a, lda, x, 1, &beta, y, 1)
        })
    }

    fn ger(
        &mut self,
        size: (usize, usize),
        alpha: f32,
        x: Vector,
        y: Vector,
        a: Matrix,
    ) -> Result<()> {
        let (x, y) = (self.vector(x, size.0)?, self.vector(y, size.1)?);
        let (a, lda) = self.matrix(size, a)?;
        let (m, n) = (int(size.0)?, int(size.1)?);
        // SAFETY: see above.
        check("cublasSger", unsafe {
            (self.cublas.ger)(self.blas, m, n, &alpha, x, 1, y, 1, a, lda)
        })
    }

    fn axpy(&mut self, n: usize, alpha: f32, x: Vector, y: Vector) -> Result<()> {
        let (x, y, n) = (self.vector(x, n)?, self.vector(y, n)?, int(n)?);
        // SAFETY: see above.
        check("cublasSaxpy", unsafe { (self.cublas.axpy)(self.blas, n, &alpha, x, 1, y, 1) })
    }

    fn gemv_transposed(
        &mut self,
        size: (usize, usize),
        a: Matrix,
        x: Vector,
        y: Vector,
    ) -> Result<()> {
        let (x, y) = (self.vector(x, size.0)?, self.vector(y, size.1)?);
        let (a, lda) = self.matrix(size, a)?;
        let (m, n) = (int(size.0)?, int(size.1)?);
        let (one, nothing) = (1.0, 0.0);
        // SAFETY: see above.
        check("cublasSgemv", unsafe {
            (self.cublas.gemv)(self.blas, TRANSPOSED, m, n, &one, a, lda, x, 1, &nothing, y, 1)
        })
    }

    fn copy(&mut self, n: usize, x: Vector, y: Vector) -> Result<()> {
        let (x, y, n) = (self.vector(x, n)?, self.vector(y, n)?, int(n)?);
        // SAFETY: see above.
        check("cublasScopy", unsafe { (self.cublas.copy)(self.blas, n, x, 1, y, 1) })
    }

    fn amin(&mut self, n: usize, x: Vector) -> Result<usize> {
        let (x, n) = (self.vector(x, n)?, int(n)?);
        let mut index = 0;
        // SAFETY: see above; the call writes one number on the host before it returns.
        check("cublasIsamin", unsafe { (self.cublas.amin)(self.blas, n, x, 1, &mut index) })?;
        ensure!(index >= 1 && index <= n, "cublasIsamin says {index} of {n}");
        Ok(index as usize - 1)
    }

    fn mark(&mut self) -> Result<()> {
        let n = self.size.1;
        let place = |buffer| self.address(Vector(buffer, 0), n);
        let [mut values, mut best, mut improved] =
            [place(Buffer::Values)?, place(Buffer::PersonalValues)?, place(Buffer::Improved)?];
        let mut count = u32::try_from(n)?;
        let mut arguments = [
            (&raw mut values).cast(),
            (&raw mut best).cast(),
            (&raw mut improved).cast(),
            (&raw mut count).cast(),
        ];
        self.launch(self.mark, n, &mut arguments)
    }

    fn select(&mut self) -> Result<()> {
        let (d, n) = self.size;
        let mut from = self.address(Vector(Buffer::Position, 0), d * n)?;
        let mut to = self.address(Vector(Buffer::PersonalBest, 0), d * n)?;
        let mut improved = self.address(Vector(Buffer::Improved, 0), n)?;
        let (mut rows, mut count) = (u32::try_from(d)?, u32::try_from(d * n)?);
        let mut arguments = [
            (&raw mut from).cast(),
            (&raw mut to).cast(),
            (&raw mut improved).cast(),
            (&raw mut rows).cast(),
            (&raw mut count).cast(),
        ];
        self.launch(self.choose, d * n, &mut arguments)
    }

    fn read(&mut self, from: Buffer) -> Result<Vec<f32>> {
        let mut numbers = vec![0.0; from.len(self.size)];
        self.stream.memcpy_dtoh(&self.slices[from as usize], &mut numbers)?;
        self.stream.synchronize()?;
        Ok(numbers)
    }

    fn write(&mut self, to: Buffer, numbers: &[f32]) -> Result<()> {
        ensure!(numbers.len() == to.len(self.size), "{} numbers for {to:?}", numbers.len());
        self.stream.memcpy_htod(numbers, &mut self.slices[to as usize])?;
        // The caller may reuse its numbers when this returns, so wait.
        self.stream.synchronize()?;
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        Ok(self.stream.synchronize()?)
    }
}
