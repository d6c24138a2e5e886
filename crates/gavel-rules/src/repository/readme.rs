//! The beginning of a README.

/// How many paragraphs tell what it is.
const PARAGRAPHS: usize = 2;
/// The most signs of them.
const MOST_SIGNS: usize = 500;
/// The most headings.
const MOST_HEADINGS: usize = 12;

/// The first two paragraphs of running text, cut at 500 signs.
pub fn readme_beginning(text: &str) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut code = false;
    for line in text.lines().map(str::trim).chain([""]) {
        if line.starts_with("```") {
            code = !code;
        }
        let told = !code && is_told(line);
        if told {
            lines.push(line);
        } else if !lines.is_empty() {
            paragraphs.push(lines.join(" "));
            lines.clear();
        }
        if paragraphs.len() == PARAGRAPHS {
            break;
        }
    }
    paragraphs.join("\n\n").chars().take(MOST_SIGNS).collect()
}

/// The first twelve headings, without their signs.
pub fn readme_headings(text: &str) -> Vec<String> {
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            code = !code;
        }
        let heading = line.trim_start_matches('#');
        let depth = line.len() - heading.len();
        if !code && (1..=6).contains(&depth) && heading.starts_with(' ') {
            found.push(heading.trim().to_owned());
        }
        if found.len() == MOST_HEADINGS {
            break;
        }
    }
    found
}

/// Running text: no heading, badge, fence, table or rule.
fn is_told(line: &str) -> bool {
    let signs = ["#", "```", "[![", "![", "<", "|", "---", "===", "***"];
    !line.is_empty() && !signs.iter().any(|sign| line.starts_with(sign))
}
