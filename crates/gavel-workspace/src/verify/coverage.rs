//! Coverage that the project's own tools measured, as they print it.
//!
//! Statements where a tool counts them, else lines. Nothing measures unless the project says so;
//! Go is the exception, whose runner measures by itself.

use super::runners;

/// The measured coverage in an output, in thousandths; `None` when nothing measured it.
///
/// A tool that measured several times is believed once, the last time.
pub fn coverage(output: &str) -> Option<u32> {
    let output = runners::without_colours(output);
    let measured = [
        istanbul(&output),
        istanbul_summary(&output),
        node(&output),
        python(&output),
        llvm(&output),
        tarpaulin(&output),
        go(&output),
    ];
    // Where several tools measured, the worst is what can be said of the whole.
    measured.into_iter().flatten().min()
}

/// `All files |     75 |       50 |`, below a head whose second column is `% Stmts`.
fn istanbul(output: &str) -> Option<u32> {
    let is_head = |line: &str| line.contains("| % Stmts |");
    below(output, is_head, |line| {
        let mut cells = line.split('|').map(str::trim);
        let first = cells.next();
        (first == Some("All files")).then(|| thousandths(cells.next()?))?
    })
}

/// `Statements   : 81.5% ( 10/12 )`, below `Coverage summary`.
fn istanbul_summary(output: &str) -> Option<u32> {
    let is_head = |line: &str| line.contains("= Coverage summary =");
    below(output, is_head, |line| {
        let (word, rest) = line.split_once(':')?;
        let (number, _) = rest.split_once('%')?;
        (word.trim() == "Statements").then(|| thousandths(number))?
    })
}

/// `# all files | 100.00 |    80.00 |`, below a head whose second column is `line %`.
fn node(output: &str) -> Option<u32> {
    let is_head = |line: &str| line.contains("| line % |");
    below(output, is_head, |line| {
        let mut cells = line.split('|').map(str::trim);
        let first = cells.next()?.trim_start_matches(['#', 'ℹ', ' ']);
        (first == "all files").then(|| thousandths(cells.next()?))?
    })
}

/// `TOTAL       4      1    75%`, below `Name    Stmts   Miss  Cover`.
fn python(output: &str) -> Option<u32> {
    let is_head = |line: &str| line.starts_with("Name ") && line.contains(" Stmts ");
    below(output, is_head, |line| {
        let mut cells = line.split_whitespace();
        let first = cells.next();
        let share = cells.find_map(|cell| cell.strip_suffix('%'));
        (first == Some("TOTAL")).then(|| thousandths(share?))?
    })
}

/// `TOTAL  12  3  75.00%  4  1  75.00%  20  5  75.00%`: regions, functions, lines.
fn llvm(output: &str) -> Option<u32> {
    let is_head = |line: &str| line.starts_with("Filename ") && line.contains(" Regions ");
    below(output, is_head, |line| {
        let mut cells = line.split_whitespace();
        let first = cells.next();
        let lines = cells.filter_map(|cell| cell.strip_suffix('%')).nth(2);
        (first == Some("TOTAL")).then(|| thousandths(lines?))?
    })
}

/// `81.50% coverage, 10/12 lines covered`.
fn tarpaulin(output: &str) -> Option<u32> {
    let found = output.lines().filter_map(|line| {
        let (number, rest) = line.split_once("% coverage, ")?;
        let told = rest.contains(" lines covered");
        told.then(|| thousandths(number))?
    });
    found.fold(None, |_, share| Some(share))
}

/// `ok  \tpackage\t0.004s\tcoverage: 66.7% of statements`, and the same for packages without tests.
///
/// Go does not say how large a package is, so each counts alike.
fn go(output: &str) -> Option<u32> {
    let found = output.lines().filter_map(|line| {
        let of_package = line.starts_with("ok ") || line.starts_with('\t');
        let (_, rest) = line.split_once("\tcoverage: ")?;
        let (number, _) = rest.split_once("% of statements")?;
        of_package.then(|| thousandths(number))?
    });
    let found: Vec<u32> = found.collect();
    let packages = u32::try_from(found.len()).ok()?;
    found.iter().sum::<u32>().checked_div(packages)
}

/// What the last line that fits says, of those below a head.
fn below(
    output: &str,
    is_head: impl Fn(&str) -> bool,
    read: impl Fn(&str) -> Option<u32>,
) -> Option<u32> {
    let mut head = false;
    let mut found = None;
    for line in output.lines() {
        head |= is_head(line);
        if head && let Some(share) = read(line) {
            found = Some(share);
        }
    }
    found
}

/// `81.5` is 815; what is no percentage is nothing. A trace is not zero.
fn thousandths(text: &str) -> Option<u32> {
    let text = text.trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let whole: u32 = whole.parse().ok()?;
    let tenth = part.chars().next()?.to_digit(10)?;
    let trace = part.chars().skip(1).any(|digit| digit != '0');
    let share = whole.checked_mul(10)?.checked_add(tenth)?;
    let share = if share == 0 && trace { 1 } else { share };
    (share <= 1000).then_some(share)
}

#[cfg(test)]
#[path = "coverage_tests.rs"]
mod tests;
