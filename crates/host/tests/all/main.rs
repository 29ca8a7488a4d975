//! The tests of the library, one program.

mod checking;
mod checkpoint;
mod common;
mod constraints;
mod emulator;
mod events;
mod expressions;
mod falling;
mod fit_called;
mod fit_coverage;
mod fits_on_devices;
mod fwa;
mod given_up;
mod hosted;
mod nist_data;
mod nist_fits;
mod polishing;
mod properties;
mod quality;
mod restarts;
mod running;
mod serial;
mod validation;
mod variables;
