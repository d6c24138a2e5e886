//! What a tool showed, without what was asked of it.

/// The lines of a result that stand between its fences. The words before a fence and its first line
/// are the program's, and repeat arguments: nobody proves by them what they asked for.
pub(super) fn body(result: &str) -> String {
    let mut open: Option<String> = None;
    let mut shown = Vec::new();
    for line in result.lines() {
        match &open {
            None => open = fence(line),
            Some(close) if line == close => open = None,
            Some(_) => shown.push(line),
        }
    }
    shown.join("\n")
}

/// How the fence is closed that a line opens: `<data source="…">`, `<data-1 source="…">`.
fn fence(line: &str) -> Option<String> {
    let name = line.strip_prefix('<')?.split(' ').next()?;
    let plain = name == "data" || name.starts_with("data-");
    plain.then(|| format!("</{name}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_not_what_was_shown() {
        let result = "2 lines match\n<data source=\"lines that match `fsync is off`\">\na.rs:1: one\n\
            </data>\nand\n<data-1 source=\"x\">\n</data>\ntwo\n</data-1>\nthree";
        assert_eq!(body(result), "a.rs:1: one\n</data>\ntwo");
        assert_eq!(body("docs answered fetch; pages: https://a.example"), "");
    }
}
