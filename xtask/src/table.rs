//! Small aligned tables for the terminal.

/// Lays figures out in columns: the first is left-aligned, the others right-aligned.
pub(crate) fn layout(rows: &[Vec<String>]) -> String {
    aligned(rows, |column| column == 0)
}

/// Lays texts out in columns.
pub(crate) fn texts(rows: &[Vec<String>]) -> String {
    aligned(rows, |_| true)
}

fn aligned(rows: &[Vec<String>], left: impl Fn(usize) -> bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| {
            if left(column) {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line = format!("  {}", cells.collect::<Vec<_>>().join("  "));
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["step", "s"], ["a", "10.0"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(layout(&rows), "  step     s\n  a     10.0");
        assert_eq!(texts(&rows), "  step  s\n  a     10.0");
    }
}
