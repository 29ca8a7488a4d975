//! Parsers for the values of options, with messages that say which values are allowed.

use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use warpswarm::Devices;
use warpswarm::bbob::MAX_INSTANCE;

/// The limit exists because the length of a row of coordinates is a 32-bit number.
pub(super) const MAX_DIMENSIONS: u64 = warpswarm::MAX_DIMENSIONS as u64;
pub(super) const MAX_THREADS: u64 = 65_536;
/// Threads of a warp. A block consists of whole warps, and has at most `MAX_BLOCK` threads.
const WARP: u32 = 32;
const MAX_BLOCK: u32 = 1024;

/// Parses a whole number in the given range.
pub(super) fn whole(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let (least, most) = (range.start(), range.end());
        let allowed = || format!("allowed: a whole number from {least} to {most}");
        text.parse().ok().filter(|n| range.contains(n)).ok_or_else(allowed)
    }
}

pub(super) fn instance(text: &str) -> Result<u32, String> {
    whole(1..=MAX_INSTANCE.into())(text).map(|number| number as u32)
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    float(text, "a finite number", f64::is_finite)
}

pub(super) fn number(text: &str) -> Result<f64, String> {
    float(text, "a number, not NaN", |x| !x.is_nan())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    float(text, "a finite number of at least 0", |x| x >= 0.0 && x.is_finite())
}

pub(super) fn float(text: &str, allowed: &str, good: impl Fn(f64) -> bool) -> Result<f64, String> {
    text.parse().ok().filter(|x| good(*x)).ok_or_else(|| format!("allowed: {allowed}"))
}

pub(super) fn block_size(text: &str) -> Result<u32, String> {
    let good = |n: &u32| (WARP..=MAX_BLOCK).contains(n) && n.is_multiple_of(WARP);
    let allowed = || format!("allowed: a multiple of {WARP} from {WARP} to {MAX_BLOCK}");
    text.parse().ok().filter(good).ok_or_else(allowed)
}

pub(super) fn devices(text: &str) -> Result<Devices, String> {
    text.parse().map_err(|_| "allowed: all, or numbers, each once, such as 0,2".into())
}

pub(super) fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.into(), value.into())),
        _ => Err("allowed: KEY=VALUE, such as inertia=0.6 or preset=cpso-paper".into()),
    }
}

/// Parses the name of a value of one of the library's enums.
pub(super) fn one_of<T>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + FromStr<Err = warpswarm::Error> + Send + Sync + 'static,
{
    let names = all.iter().map(|value| name(*value));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
