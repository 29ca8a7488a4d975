//! The tests of the CPU algorithms, as one program.

mod bits;
mod common;
mod edges;
mod fwa;
mod hand;
mod methods;
mod oracle;
mod peers;
mod places;
mod portfolio;
mod smirnov;
