//! PTX with distances in place of register numbers, which compresses to half the size.
//!
//! Kernels share most of their code, but not the numbers of their registers. One more instruction at the top shifts all
//! numbers after it, and a compressor no longer finds the repetition. A distance stays the same:
//!
//! ```text
//! add.s32 %r422, %r417, 5;      add.s32 %r1, %r10, 5;
//! xor.b32 %r428, %r422, %r426;  xor.b32 %r11, %r12, %r4;
//! ```
//!
//! * A word begins with `%` or `$`; letters, digits and `_` follow. Each run of digits in it is a number, and the
//!   letters before it are the number's kind: `%r` in `%r422`, `$L__BB` and `_` in `$L__BB901_3`.
//! * A number becomes its distance from the reference of its kind, which is 0 at first. The first word with numbers in
//!   a line (the register that an instruction writes, the label) then sets the references of its kinds.
//! * The distance d of a smaller number is written 2d, that of a larger one 2d - 1.
//! * Digits that are no number from 0 to 2^32 - 1, or have leading zeros, stay as they are. Therefore every text has a
//!   coded form, and every text is the coded form of one.

/// The references of numbers, by kind.
type References<'a> = Vec<(&'a str, u32)>;

/// The text with distances.
#[cfg(feature = "build")]
pub(crate) fn coded(text: &str) -> String {
    with_numbers(text, |number, reference| {
        let distance = reference.wrapping_sub(number) as i32;
        (((distance << 1) ^ (distance >> 31)) as u32, number)
    })
}

/// The text whose coded form this is.
pub(crate) fn decoded(text: &str) -> String {
    with_numbers(text, |written, reference| {
        let distance = (written >> 1) as i32 ^ -((written & 1) as i32);
        let number = reference.wrapping_sub(distance as u32);
        (number, number)
    })
}

/// The text with other numbers: `change` gets a number and its reference, and returns the number to write and the new
/// reference.
fn with_numbers(text: &str, change: impl Fn(u32, u32) -> (u32, u32)) -> String {
    let mut written = String::with_capacity(text.len());
    let mut references = References::new();
    for line in text.split_inclusive('\n') {
        let (mut rest, mut is_first) = (line, true);
        while let Some(start) = rest.find(['%', '$']) {
            let after = &rest[start + 1..];
            let is_in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = after.find(|c| !is_in_word(c)).unwrap_or(after.len());
            let (word, next) = rest.split_at(start + 1 + length);
            written.push_str(&word[..start]);
            let (mut word, mut has_number) = (&word[start..], false);
            while let Some((kind, digits, behind)) = split_at_digits(word) {
                (word, has_number) = (behind, true);
                written.push_str(kind);
                let Some(number) = plain(digits) else {
                    written.push_str(digits);
                    continue;
                };
                let reference = reference(&mut references, kind);
                let (new, number) = change(number, *reference);
                written.push_str(&new.to_string());
                if is_first {
                    *reference = number;
                }
            }
            written.push_str(word);
            rest = next;
            is_first &= !has_number;
        }
        written.push_str(rest);
    }
    written
}

/// The part before the first digits, the digits, and the part after them.
fn split_at_digits(word: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = word.split_at(word.find(|c: char| c.is_ascii_digit())?);
    let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, behind) = rest.split_at(length);
    Some((kind, digits, behind))
}

/// The number with these digits, if they are its usual notation.
fn plain(digits: &str) -> Option<u32> {
    let has_zeros = digits.len() > 1 && digits.starts_with('0');
    if has_zeros { None } else { digits.parse().ok() }
}

/// The reference of a kind.
fn reference<'a, 'b>(references: &'a mut References<'b>, kind: &'b str) -> &'a mut u32 {
    let at = references.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
        references.push((kind, 0));
        references.len() - 1
    });
    &mut references[at].1
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_distances() {
        for (text, expected) in [
            ("\tadd.s32 \t%r422, %r417, 5;\n", "\tadd.s32 \t%r843, %r10, 5;\n"),
            (
                "mov %r7, 1;\nmov %r8, %r7;\nmov %r5, %r5;",
                "mov %r13, 1;\nmov %r1, %r2;\nmov %r6, %r0;",
            ),
            // Each kind has its own reference; only a line's first word sets references.
            ("cvt %rd3, %r2;\ncvt %rd4, %r2;\n", "cvt %rd5, %r3;\ncvt %rd1, %r3;\n"),
            ("$L__BB9_3:\n@%p1 bra $L__BB9_2;\n", "$L__BB17_5:\n@%p1 bra $L__BB0_2;\n"),
            // No numbers: not in a word, with leading zeros, too large.
            ("12 a3 %tid.x [p_4]", "12 a3 %tid.x [p_4]"),
            ("%r007 %r4294967296 %r-1", "%r007 %r4294967296 %r-1"),
            ("%r4294967295\n%r0", "%r2\n%r1"),
        ] {
            assert_eq!(coded(text), expected);
            assert_eq!(decoded(expected), text);
        }
    }

    /// Texts of a few characters in every order: decoding returns what was coded, and coding what was decoded.
    #[test]
    fn every_text_is_coded_and_is_a_code() {
        let parts = ["%", "$", "r", "_", "0", "1", "29", "\n", " ", "é", "4294967295", "%r5, %r"];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer = |text: &String| parts.map(|part| format!("{text}{part}"));
            texts = texts.iter().flat_map(longer).collect();
        }
        for text in &texts {
            assert_eq!(&decoded(&coded(text)), text);
            assert_eq!(&coded(&decoded(text)), text);
        }
    }
}
