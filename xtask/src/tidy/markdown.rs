//! Markdown tables that rules read.

/// The cells of the first table whose header starts with `first`, without header and divider.
pub(super) fn table(text: &str, first: &str) -> Vec<Vec<String>> {
    let rows = text.lines().map(cells);
    let rows = rows.skip_while(|row| row.first().map(String::as_str) != Some(first));
    let rows = rows.skip(2).take_while(|row| !row.is_empty());
    rows.collect()
}

/// The text inside backticks, or the text itself.
pub(super) fn bare(cell: &str) -> &str {
    cell.trim().trim_matches('`')
}

fn cells(line: &str) -> Vec<String> {
    let inner = line
        .trim()
        .strip_prefix('|')
        .and_then(|line| line.strip_suffix('|'));
    let cells = inner.map(|inner| inner.split('|').map(|cell| cell.trim().to_owned()));
    cells.map(Iterator::collect).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_ends_with_its_last_row() {
        let text = "words\n\n| a | b |\n|---|---|\n| 1 | `2` |\n|  | 3 |\n\n| x | y |\n";
        assert_eq!(table(text, "a"), [["1", "`2`"], ["", "3"]]);
        assert!(table(text, "z").is_empty());
        assert_eq!(bare("`2`"), "2");
    }
}
