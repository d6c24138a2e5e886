//! A command's output: both streams in the order they came, head and tail kept.

use std::collections::VecDeque;

/// What a command printed, capped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The text; where something was cut, a line in brackets stands in its place.
    pub text: String,
    /// How many bytes the command printed in all.
    pub total_bytes: u64,
    /// How many of them are missing in the text.
    pub cut_bytes: u64,
    /// True when bytes that are not UTF-8 were replaced.
    pub replaced_bytes: bool,
}

impl Output {
    /// Sentences about what the text does not show as it was.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.cut_bytes > 0 {
            let (cut, total) = (self.cut_bytes, self.total_bytes);
            notes.push(format!("{cut} of {total} bytes of output were cut out"));
        }
        if self.replaced_bytes {
            notes.push("bytes that are not UTF-8 were replaced by U+FFFD".to_owned());
        }
        notes
    }
}

/// Keeps the first and the last bytes of a stream in bounded memory.
#[derive(Debug)]
pub(crate) struct Collector {
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Collector {
    pub(crate) const fn new(kept: usize) -> Self {
        Self {
            half: kept.div_ceil(2),
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
        }
    }

    /// Takes the next bytes and returns how many came so far.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> u64 {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(first);
        let last = rest.get(rest.len().saturating_sub(self.half)..);
        self.tail.extend(last.unwrap_or_default());
        let extra = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..extra);
        self.total
    }

    pub(crate) fn finish(mut self) -> Output {
        let kept = (self.head.len() + self.tail.len()) as u64;
        if self.total == kept {
            self.head.extend(self.tail);
            let (text, replaced_bytes) = lossy(&self.head);
            return Output {
                text,
                total_bytes: self.total,
                cut_bytes: 0,
                replaced_bytes,
            };
        }
        // The cut may go through a letter; its halves are cut away too.
        let head = without_half_letter(&self.head);
        let tail: Vec<u8> = self
            .tail
            .into_iter()
            .skip_while(|byte| is_inner(*byte))
            .collect();
        let cut_bytes = self.total - (head.len() + tail.len()) as u64;
        let (mut text, replaced_head) = lossy(head);
        let (rest, replaced_tail) = lossy(&tail);
        text.push_str(&format!("\n[{cut_bytes} bytes cut]\n"));
        text.push_str(&rest);
        Output {
            text,
            total_bytes: self.total,
            cut_bytes,
            replaced_bytes: replaced_head || replaced_tail,
        }
    }
}

fn lossy(bytes: &[u8]) -> (String, bool) {
    let valid = str::from_utf8(bytes).is_ok();
    (String::from_utf8_lossy(bytes).into_owned(), !valid)
}

const fn is_inner(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn without_half_letter(bytes: &[u8]) -> &[u8] {
    match str::from_utf8(bytes) {
        // No length: the end came too early, nothing else is wrong with it.
        Err(error) if error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or_default()
        }
        Ok(_) | Err(_) => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(kept: usize, chunks: &[&[u8]]) -> Output {
        let mut collector = Collector::new(kept);
        for chunk in chunks {
            collector.push(chunk);
        }
        collector.finish()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let output = collect(10, &[b"abcd", b"efghij"]);
        assert_eq!(output.text, "abcdefghij");
        assert_eq!(output.notes(), Vec::<String>::new());
    }

    #[test]
    fn head_and_tail_are_kept_and_the_cut_is_stated() {
        let output = collect(6, &[b"abc", b"defgh", b"ijklmnopqrstuvwx", b"yz"]);
        assert_eq!(output.text, "abc\n[20 bytes cut]\nxyz");
        assert_eq!(output.notes(), ["20 of 26 bytes of output were cut out"]);
    }

    #[test]
    fn a_letter_is_never_cut_in_half() {
        let output = collect(6, &["aäöüßx€".as_bytes(), "bbb€".as_bytes()]);
        assert_eq!(output.text, "aä\n[13 bytes cut]\n€");
        assert!(!output.replaced_bytes);
        let output = collect(4, &["€€€€".as_bytes()]);
        assert_eq!(output.text, "\n[12 bytes cut]\n");
        assert!(!output.replaced_bytes);
    }

    #[test]
    fn invalid_bytes_are_replaced_and_said() {
        let output = collect(100, &[b"a\xff\xfeb"]);
        assert_eq!(output.text, "a\u{fffd}\u{fffd}b");
        assert_eq!(
            output.notes(),
            ["bytes that are not UTF-8 were replaced by U+FFFD"]
        );
    }
}
