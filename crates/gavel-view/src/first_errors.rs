//! Where nothing could even be run: what the compiler, or whoever else refused, said first.

use gavel_build::{CommandRan, VerifyOutput};

/// So many lines say what is wrong; the whole output is beside the fact.
const MOST_LINES: usize = 8;
/// An error, and where it is.
const LINES_PER_ERROR: usize = 3;
const LONGEST: usize = 200;

/// The first errors in the recorded output of a verification that executed nothing, at most eight
/// lines. Secrets were taken out before it was recorded.
pub fn first_errors(output: &str) -> Vec<String> {
    let output = VerifyOutput::read(output);
    let errors = errors_in(&output.commands);
    if !errors.is_empty() {
        return errors;
    }
    // Not every tool calls an error one: what it said before it failed, then.
    let failed = output.commands.iter().find(|ran| ran.exit != Some(0));
    let said = failed.map_or(output.note.as_str(), |ran| ran.output.as_str());
    said.lines().filter_map(shown).take(MOST_LINES).collect()
}

/// The first errors that commands name, at most eight lines.
pub fn errors_in(commands: &[CommandRan]) -> Vec<String> {
    let mut left = 0;
    let lines = commands.iter().flat_map(|ran| ran.output.lines());
    let told = lines.filter_map(shown).filter(|line| {
        if is_error(line) {
            left = LINES_PER_ERROR;
        }
        let tells = left > 0;
        left = left.saturating_sub(1);
        tells
    });
    told.take(MOST_LINES).collect()
}

/// `error[E0425]: …`, `src/a.ts(3,5): error TS2304: …`, `SyntaxError: …`; a test that is named after
/// errors is none.
fn is_error(line: &str) -> bool {
    let mut words = line.split_inclusive([':', '[', ' ']);
    words.any(|word| {
        let word = word.trim_end_matches([':', '[', ' ']);
        word == "error" || (word.ends_with("Error") && line.contains(&format!("{word}:")))
    })
}

fn shown(line: &str) -> Option<String> {
    let line = line.trim();
    (!line.is_empty()).then(|| line.chars().take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recorded form: one line of ours, then what the commands printed.
    fn recorded(exit: i32, printed: &str) -> String {
        let header = format!(
            r#"{{"commands":[{{"recipe":"cargo","argv":["cargo","test"],"exit":{exit},"level":"landlock","millis":5,"bytes":{}}}]}}"#,
            printed.len()
        );
        format!("{header}\n{printed}")
    }

    #[test]
    fn the_first_errors_of_a_compiler_are_found() {
        let printed = "   Compiling made v0.1.0\nwarning: unused\nerror[E0425]: cannot find value `x`\n  --> src/lib.rs:3:5\n   |\n3  |  x\n\nerror: could not compile `made`\n";
        assert_eq!(
            first_errors(&recorded(101, printed)),
            [
                "error[E0425]: cannot find value `x`",
                "--> src/lib.rs:3:5",
                "|",
                "error: could not compile `made`"
            ]
        );
        let many = "error: one\n".repeat(30);
        assert_eq!(first_errors(&recorded(1, &many)).len(), MOST_LINES);
        let long = format!("SyntaxError: {}", "x".repeat(900));
        let told = first_errors(&recorded(1, &long));
        assert_eq!(told.first().unwrap().chars().count(), LONGEST);
    }

    #[test]
    fn whoever_calls_nothing_an_error_is_told_from_the_beginning() {
        let printed = "# made\n./main.go:3:5: undefined: x\n";
        assert_eq!(
            first_errors(&recorded(2, printed)),
            ["# made", "./main.go:3:5: undefined: x"]
        );
        assert_eq!(
            first_errors("no test command was found"),
            ["no test command was found"]
        );
        let fine = "test error_of_input_is_told ... ok\nerror_handling passed\n";
        assert_eq!(first_errors(&recorded(0, fine)), [""; 0]);
    }
}
