//! Stacks as people and models write them.

use super::*;

fn languages(text: &str) -> Vec<&'static str> {
    let text = format!("# Stack\n\n## Language\n- {text}\n");
    let stack = StackText::read(&text);
    stack
        .languages
        .iter()
        .map(|language| language.label())
        .collect()
}

#[test]
fn languages_are_read_and_denied_ones_are_not() {
    for (text, expected) in [
        ("Rust, edition 2024", &["Rust"][..]),
        ("Rust only, no Python or JavaScript", &["Rust"]),
        ("Rust (not Go); scripts never in Python", &["Rust"]),
        ("nothing but Rust", &["Rust"]),
        ("TypeScript 5 on Node.js 22", &["JavaScript", "TypeScript"]),
        ("Python 3.12+", &["Python"]),
        ("`go 1.22`", &[]),
        ("Go 1.22", &["Go"]),
        ("C/C++20", &["C", "C++"]),
        ("Objective-C", &["Objective-C"]),
        ("Rust-only", &["Rust"]),
        ("whatever is popular, let it go", &[]),
        ("No JavaScript. Python it is", &["Python"]),
    ] {
        assert_eq!(languages(text), expected, "{text}");
    }
}

fn packages(bullets: &str) -> Packages {
    let text = format!("# Stack\n\n## Dependencies\n{bullets}\n");
    StackText::read(&text).packages.unwrap()
}

#[test]
fn packages_are_read() {
    for (bullets, expected) in [
        ("- none besides the standard library", &[][..]),
        (
            "- None but the standard library, so that it builds without a network.",
            &[],
        ),
        ("- none", &[]),
        ("- No external dependencies.", &[]),
        ("- only the standard library", &[]),
        ("- Standard library only", &[]),
        (
            "- No dependencies except `serde` and `clap`",
            &["clap", "serde"],
        ),
        ("- none but serde", &["serde"]),
        (
            "- `serde_json` for data\n- `@scope/pkg@^1`",
            &["@scope/pkg", "serde-json"],
        ),
        ("- serde, serde_json 1.0 for JSON", &["serde", "serde-json"]),
        ("- **axum** (0.7): serves pages", &["axum"]),
        ("- web: axum and tokio", &["axum", "tokio", "web"]),
        ("- github.com/spf13/cobra v1.8", &["github-com/spf13/cobra"]),
        ("- no `lodash`\n- `zod`", &["zod"]),
        ("- Avoid lodash\n- express", &["express"]),
    ] {
        let read = packages(bullets);
        let named: Vec<&str> = read.named.iter().map(String::as_str).collect();
        assert_eq!(named, expected, "{bullets}");
        assert!(read.whole, "{bullets}: {read:?}");
    }
}

#[test]
fn what_cannot_be_read_weakens_unless_nothing_else_is_allowed() {
    let vague = packages("- small and well known packages only as needed by the web part");
    assert!(!vague.whole && vague.unread.len() == 1, "{vague:?}");
    let strict =
        packages("- none\n- Settled before: backend-stack is \"Rust with what it takes\".");
    assert!(strict.whole && strict.named.is_empty(), "{strict:?}");
    assert_eq!(
        StackText::read("# Stack\n\nWe use Rust.\n"),
        StackText::default()
    );
}

#[test]
fn tests_and_sources_are_heard() {
    let text = "# Stack\n\n## Language\n- TypeScript\n\n## Storage\n- SQLite through `better-sqlite3`\n\n\
        ## Tests\n- command: `npx vitest run`\n\n## Dependencies\n- `left-pad` from git\n- `zod`\n";
    let read = StackText::read(text).packages.unwrap();
    assert!(read.named.contains("better-sqlite3"), "{read:?}");
    assert!(
        read.for_tests.contains("vitest") && read.for_tests.contains("typescript"),
        "{read:?}"
    );
    assert!(
        read.with_source.contains("left-pad") && !read.with_source.contains("zod"),
        "{read:?}"
    );
}
