//! Joins the lower half of a word with constant upper bits, as the draws of a move need it. LLVM writes two
//! instructions, and the assembler keeps both, because neither has room for two constants. A permutation of bytes is
//! one instruction.

use std::collections::HashMap;

/// The text with one instruction in place of two wherever the lower half of a word gets a constant upper half.
///
/// ```
/// use warpswarm_ptx_builder::halves::permuted;
/// let text = "\tand.b32 \t%r2, %r1, 65535;\n\tor.b32 \t%r3, %r2, 1124073472;\n";
/// let line = "\tprmt.b32 \t%r3, %r1, 1124073472, 0x7610;\n";
/// assert_eq!(permuted(text), format!("\tand.b32 \t%r2, %r1, 65535;\n{line}"));
/// ```
#[must_use]
pub fn permuted(text: &str) -> String {
    let mut new = String::with_capacity(text.len());
    // The word whose lower half each register holds, since the last label.
    let mut halves: HashMap<&str, &str> = HashMap::new();
    for line in text.split_inclusive('\n') {
        let Some((operation, operands)) = instruction(line) else {
            if line.trim_end().ends_with([':', '{', '}']) {
                halves.clear();
            }
            new.push_str(line);
            continue;
        };
        let half = match (operation, &operands[..]) {
            ("or.b32", [into, half, upper]) => {
                let is_upper = upper.parse::<u32>().is_ok_and(|upper| upper.trailing_zeros() >= 16);
                halves.get(half).filter(|_| is_upper).map(|word| (*into, *word, *upper))
            }
            _ => None,
        };
        match half {
            Some((into, word, upper)) => {
                new.push_str(&format!("\tprmt.b32 \t{into}, {word}, {upper}, 0x7610;\n"));
            }
            None => new.push_str(line),
        }
        // The first operand is the one that an operation writes.
        let into = operands.first().copied().unwrap_or_default();
        let written = |register: &str| into.split(',').any(|one| one.trim() == register);
        halves.retain(|half, word| !written(half) && !written(word));
        if let ("and.b32", [into, word, "65535"]) = (operation, &operands[..])
            && into != word
        {
            halves.insert(into, word);
        }
    }
    new
}

/// An instruction and its operands; registers in braces are one operand. A conditional instruction has no name.
fn instruction(line: &str) -> Option<(&str, Vec<&str>)> {
    let said = line.trim().strip_suffix(';')?;
    let (operation, operands) = match said.strip_prefix('@') {
        None => said.split_once(char::is_whitespace)?,
        Some(rest) => ("", rest.split_whitespace().nth(2).unwrap_or_default()),
    };
    let operands = operands.trim();
    let (first, rest) = match operands.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((first, rest)) => (first, rest.trim_start().strip_prefix(',').unwrap_or("")),
        None => operands.split_once(',').unwrap_or((operands, "")),
    };
    let rest = rest.split(',').map(str::trim).filter(|operand| !operand.is_empty());
    Some((operation, std::iter::once(first.trim()).chain(rest).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_lower_half_stays() {
        let and = "\tand.b32 \t%r2, %r1, 65535;\n";
        let or = "\tor.b32 \t%r3, %r2, 1124073472;\n";
        for between in [
            "$L__BB0_1:\n",
            "\tadd.s32 \t%r1, %r1, 1;\n",
            "\tmov.b32 \t%r2, 7;\n",
            "\tld.shared.v2.b32 \t{%r9, %r1}, [%r8];\n",
            "\t@%p1 mov.b32 \t%r2, 7;\n",
        ] {
            let text = format!("{and}{between}{or}");
            assert_eq!(permuted(&text), text);
        }
        for or in ["\tor.b32 \t%r3, %r2, 65536;\n", "\tor.b32 \t%r3, %r2, 1;\n"] {
            let text = format!("{and}{or}");
            assert_eq!(permuted(&text) == text, or.contains(" 1;"), "{or}");
        }
        for other in [
            "\tand.b32 \t%r2, %r1, 255;\n",
            "\tand.b32 \t%r1, %r1, 65535;\n",
            "\t@%p1 and.b32 \t%r2, %r1, 65535;\n",
        ] {
            let text = format!("{other}{or}");
            assert_eq!(permuted(&text), text);
        }
    }

    #[test]
    fn what_lies_between_may_be_anything_else() {
        let text = "\tand.b32 \t%r2, %r1, 65535;\n\t// begin inline asm\n\txor.b32 \t%r11, %r12, %r1;\n\tor.b32 \t%r3, %r2, 1124073472;\n";
        assert!(permuted(text).contains("prmt.b32 \t%r3, %r1, 1124073472, 0x7610;"));
    }
}
