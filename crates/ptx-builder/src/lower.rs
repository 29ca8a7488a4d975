//! Kernels for GPUs older than those for which they were compiled.
//!
//! The compiler writes one instruction that compute capability 7.5 lacks: `redux.sync.min.u32`, the least number of a
//! warp. It is replaced by five shuffles and minima, which give the same number.

use std::borrow::Cow;

use crate::cut::number;

/// The instruction for a warp's least number.
const REDUX: &str = "redux.sync.min.u32";
/// The first architecture that has it, and the oldest one that a text can be lowered to.
const HAS_REDUX: u32 = 80;
const LOWEST: u32 = 75;
/// The distances of the lanes that exchange numbers, in each of the five steps.
const DISTANCES: [u32; 5] = [16, 8, 4, 2, 1];

/// The oldest architecture on which kernels for `arch` run once they are [lowered](for_architecture).
///
/// ```
/// use warpswarm_ptx_builder::lower::oldest;
/// assert_eq!([oldest("sm_80"), oldest("sm_90")], [75, 90]);
/// ```
pub fn oldest(arch: &str) -> u32 {
    match number(arch) {
        HAS_REDUX => LOWEST,
        other => other,
    }
}

/// A module for a device of architecture `found`, such as 75. It is the text itself, unless that was compiled for a
/// later architecture and can be lowered to this one. All lanes of a warp must take part in the computation of their
/// least number, as they do in this library's kernels.
///
/// ```
/// use warpswarm_ptx_builder::lower::for_architecture;
/// let text = ".version 8.0\n.target sm_80\n\tredux.sync.min.u32 %r3, %r1, %r2;\n";
/// assert_eq!(for_architecture(text, 80), text);
/// assert!(for_architecture(text, 75).starts_with(".version 8.0\n.target sm_75\n{"));
/// ```
pub fn for_architecture(text: &str, found: u32) -> Cow<'_, str> {
    let target = text.lines().find_map(|line| line.strip_prefix(".target ")).unwrap_or_default();
    if found >= number(target) || found < oldest(target) {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| {
        if line.starts_with(".target ") {
            return Cow::Owned(format!(".target sm_{found}"));
        }
        match least_of_warp(line) {
            Some(lowered) => Cow::Owned(lowered),
            None => Cow::Borrowed(line),
        }
    });
    Cow::Owned(lines.flat_map(|line| [line, Cow::Borrowed("\n")]).collect())
}

/// The replacement of a line with the instruction.
fn least_of_warp(line: &str) -> Option<String> {
    let operands = line.trim().strip_prefix(REDUX)?.trim().strip_suffix(';')?;
    let mut operands = operands.split(',').map(str::trim);
    let (to, from, mask) = (operands.next()?, operands.next()?, operands.next()?);
    let mut lowered =
        format!("{{\n\t.reg .b32 %ws_least, %ws_other;\n\tmov.b32 \t%ws_least, {from};\n");
    for distance in DISTANCES {
        lowered.push_str(&format!(
            "\tshfl.sync.bfly.b32 \t%ws_other, %ws_least, {distance}, 31, {mask};\n\
             \tmin.u32 \t%ws_least, %ws_least, %ws_other;\n"
        ));
    }
    lowered.push_str(&format!("\tmov.b32 \t{to}, %ws_least;\n}}"));
    Some(lowered)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\n\
        .visible .entry e()\n{\n\tmov.b32 \t%r1, -1;\n\tredux.sync.min.u32 \t%r3, %r2, %r1;\n\tret;\n}\n";

    #[test]
    fn the_least_of_a_warp_is_found_by_shuffles() {
        let lowered = for_architecture(TEXT, 75);
        assert!(!lowered.contains(REDUX), "{lowered}");
        let count = |word| lowered.matches(word).count();
        assert_eq!((count("shfl.sync.bfly.b32"), count("min.u32")), (5, 5));
        assert!(lowered.contains("\tmov.b32 \t%ws_least, %r2;\n"), "{lowered}");
        assert!(lowered.contains(", 16, 31, %r1;\n"), "{lowered}");
        assert!(lowered.ends_with("\tmov.b32 \t%r3, %ws_least;\n}\n\tret;\n}\n"), "{lowered}");
        // Everything else is unchanged.
        assert!(lowered.starts_with(
            ".version 8.0\n.target sm_75\n.address_size 64\n\n.visible .entry e()\n{\n\tmov.b32 \t%r1, -1;\n{\n"
        ));
    }

    #[test]
    fn what_a_device_has_stays() {
        assert!([80, 86, 90, 120].iter().all(|found| for_architecture(TEXT, *found) == TEXT));
        // Too old: the driver reports it.
        assert_eq!(for_architecture(TEXT, 70), TEXT);
        let clusters = TEXT.replace("sm_80", "sm_90");
        assert_eq!(for_architecture(&clusters, 75), clusters);
        assert_eq!((oldest("sm_80"), oldest("sm_90a"), oldest("sm_75")), (75, 90, 75));
    }
}
