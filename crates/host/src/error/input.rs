//! Which errors are the user's.

use super::Error;

impl Error {
    /// Whether the input is at fault rather than the machine. Programs report such an error with exit code 2.
    ///
    /// ```
    /// use warpswarm::{Bounds, Error};
    /// assert!(Bounds::uniform(2, 1.0, f64::NAN).unwrap_err().is_input());
    /// assert!(!Error::NoDriver.is_input());
    /// ```
    pub fn is_input(&self) -> bool {
        use Error::*;
        match self {
            UnknownName { .. } | NoSuch { .. } | UnknownParameter { .. } | Parameter { .. } => true,
            Setting { .. } | TooFewEvaluations { .. } | TooLarge { .. } => true,
            BoundLengths { .. } | BoundNotFinite { .. } | BoundOrder { .. } => true,
            BoundScale { .. } | FirstPoint { .. } => true,
            ProblemFile { .. } | Expression { .. } => true,
            DataLength { .. } | DataSize { .. } | Table { .. } | Runs { .. } => true,
            Objective { .. } | Told { .. } | NotPlaced => true,
            BoundRange { .. } | Unsupported { .. } | Schedule { .. } | State { .. } => true,
            File { doing, .. } => *doing == "read",
            Ranks { input, .. } => *input,
            Threads { .. }
            | HostMemory { .. }
            | NoDriver
            | NoDevice { .. }
            | DriverTooOld { .. } => false,
            UnsupportedArchitecture { .. } | NoKernels | BadKernels { .. } => false,
            NotExported { .. } => true,
            Stopped | NoSuchKernel { .. } | NoEmulator | OutOfMemory { .. } | Launch { .. } => {
                false
            }
            Driver { .. } | DeviceLost { .. } => false,
        }
    }
}
