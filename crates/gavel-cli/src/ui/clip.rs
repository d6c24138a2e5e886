//! Bounds for what is printed beside data and in lists: files, models and servers have a say in it, and
//! none of them may fill a screen or a log.

use std::fmt::Write as _;

/// The characters at the beginning and at the end of a line that stay: what a sentence is about stands
/// often at its end.
const FIRST: usize = 800;
const LAST: usize = 200;
/// The most lines of an error or a note.
const LINES: usize = 500;

/// A text within its bounds, with a mark where something was left out.
pub(super) fn clipped(text: &str) -> String {
    let mut lines = text.split('\n');
    let kept: Vec<String> = lines.by_ref().take(LINES).map(clipped_line).collect();
    let mut clipped = kept.join("\n");
    let left_out = lines.count();
    if left_out > 0 {
        write!(clipped, "\n… ({left_out} more lines)").unwrap_or_default();
    }
    clipped
}

fn clipped_line(line: &str) -> String {
    let count = line.chars().count();
    if count <= FIRST + LAST {
        return line.to_owned();
    }
    let first: String = line.chars().take(FIRST).collect();
    let last: String = line.chars().skip(count - LAST).collect();
    // A colour that began in what is kept ends with it.
    let reset = if first.contains('\x1b') {
        super::RESET
    } else {
        ""
    };
    let left_out = count - FIRST - LAST;
    format!("{first}{reset}… ({left_out} more characters) …{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_cut_and_says_so() {
        let fits = format!("{}\n{}", "ä".repeat(FIRST + LAST), "b");
        assert_eq!(clipped(&fits), fits);
        let long = format!("ab\n{}{}\nc", "ä".repeat(FIRST + 7), "ö".repeat(LAST));
        let (first, last) = ("ä".repeat(FIRST), "ö".repeat(LAST));
        let cut = format!("ab\n{first}… (7 more characters) …{last}\nc");
        assert_eq!(clipped(&long), cut);
        let many = "x\n".repeat(LINES + 4);
        assert!(clipped(&many).ends_with("x\n… (5 more lines)"));
        let red = format!("\x1b[31m{}\x1b[0m", "r".repeat(FIRST + LAST));
        assert!(clipped(&red).contains("r\x1b[0m… ("), "the colour ends");
    }
}
