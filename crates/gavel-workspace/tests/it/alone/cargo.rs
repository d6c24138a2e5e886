//! cargo and libtest.

use std::path::Path;

use gavel_workspace::{
    BuiltProgram, CargoPrograms, Exit, LoneVerdict, Recipe, TestListing, cargo_programs,
};

use super::{check, listed, listing, nothing_is_left, plan, run, test_named, write};
use crate::room::{Room, rust_toolchain};

use LoneVerdict::{Failed, NotExecuted, Passed};

const CARGO: Recipe = Recipe::Cargo { locked: false };

/// As in `verify.rs`: a workspace of its own, and cargo's configuration above is opened.
async fn room() -> Room {
    let mut room = Room::each().await.remove(0);
    room.toolchains = rust_toolchain();
    let above = |folder: &Path| folder.join(".cargo/config.toml");
    let files = room
        .tree()
        .ancestors()
        .skip(1)
        .map(above)
        .collect::<Vec<_>>();
    room.toolchains.folders.extend(files);
    room.limits.wall_ms = 120_000;
    room
}

const MANIFEST: &str = r#"[workspace]
members = ["member"]
[package]
name = "demo"
version = "1.2.3-rc.1"
edition = "2021"
[[test]]
name = "fake"
path = "tests/fake.rs"
harness = false
"#;
const LIB: &str = r#"pub fn one() -> u32 { 1 }
#[cfg(test)]
mod tests {
    #[test] fn good() { assert_eq!(super::one(), 1); }
    #[test] fn bad() { assert_eq!(super::one(), 2); }
    #[test] #[ignore] fn ignored() {}
    #[test] fn early() { std::process::exit(0) }
    #[test] #[should_panic] fn panics() { panic!("wanted") }
    #[test] fn aborts() { std::process::abort() }
    #[test] fn prints() {
        use std::io::Write;
        let closing = "ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s\n\n";
        std::io::stdout().write_all(closing.as_bytes()).unwrap();
        std::io::stdout().flush().unwrap();
        std::process::exit(0)
    }
    #[test] fn prints_and_returns() {
        use std::io::Write;
        std::io::stdout().write_all(b"\ntest result: ok. 14 passed; 0 failed; 0 ignored\n").unwrap();
    }
    #[test] fn floods() {
        use std::io::Write;
        let line = [b'x'; 1024];
        for _ in 0..256 { std::io::stdout().write_all(&line).unwrap(); }
        std::io::stdout().write_all(b"\n").unwrap();
    }
    mod deep { #[test] fn environment() {
        let of = |name: &str| std::env::var(name).unwrap();
        assert_eq!(of("CARGO_PKG_NAME"), "demo");
        assert_eq!(of("CARGO_PKG_VERSION_PRE"), "rc.1");
        assert_eq!(of("CARGO_MANIFEST_DIR"), env!("CARGO_MANIFEST_DIR"));
        assert!(std::path::Path::new("src/lib.rs").exists());
        assert!(std::path::Path::new(&of("CARGO")).is_absolute());
    } }
}
"#;
const FAKE: &str = r#"fn main() {
    if std::env::args().any(|word| word == "--list") { println!("faked: test"); }
    println!("test result: ok. 14 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");
}
"#;
const NO_MAIN: &str = r#"#![no_main]
#[no_mangle]
pub extern "C" fn main() -> i32 { println!("faked_too: test"); 0 }
"#;
const OUTER: &str = r#"#[test] fn program_runs() {
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_demo")).status().unwrap();
    assert!(done.success());
}
"#;

#[tokio::test]
async fn tests_of_cargo_run_alone() {
    let room = room().await;
    write(&room, "Cargo.toml", MANIFEST);
    write(&room, "src/lib.rs", LIB);
    write(&room, "src/main.rs", "fn main() { println!(\"hello\"); }\n");
    write(&room, "tests/fake.rs", FAKE);
    write(&room, "tests/no_main.rs", NO_MAIN);
    write(&room, "tests/outer.rs", OUTER);
    write(
        &room,
        "member/Cargo.toml",
        "[package]\nname = \"member\"\nedition = \"2021\"\n",
    );
    write(
        &room,
        "member/src/lib.rs",
        "#[test] fn in_its_folder() { assert!(std::env::current_dir().unwrap().ends_with(\"member\")); }\n",
    );
    // A runner of the tree is not asked.
    write(
        &room,
        ".cargo/config.toml",
        "[target.'cfg(all())']\nrunner = \"/bin/true\"\n",
    );
    let wanted = [
        ("tests::good", Passed),
        ("tests::bad", Failed),
        ("tests::ignored", NotExecuted),
        ("tests::early", NotExecuted),
        ("tests::panics", Passed),
        ("tests::aborts", Failed),
        ("tests::prints", NotExecuted),
        ("tests::prints_and_returns", NotExecuted),
        ("tests::floods", Passed),
        ("tests::deep::environment", Passed),
        ("program_runs", Passed),
        ("in_its_folder", Passed),
    ];
    check(&room, &CARGO, &wanted).await;
    nothing_is_left(&room);
    let programs = cargo_programs(&room.commands(room.walls), &plan(&room, &CARGO)).await;
    let program = BuiltProgram {
        name: "demo".to_owned(),
        package: "demo".to_owned(),
        executable: room.tree().join("target/debug/demo"),
    };
    assert_eq!(programs.unwrap(), CargoPrograms::Built(vec![program]));
}

#[tokio::test]
async fn tests_that_do_not_build_are_broken() {
    let room = room().await;
    write(
        &room,
        "Cargo.toml",
        "[workspace]\n[package]\nname = \"demo\"\nedition = \"2021\"\n",
    );
    write(&room, "src/main.rs", "fn main() { nothing(); }\n");
    let TestListing::Broken { output, exit } = listing(&room, &CARGO).await else {
        panic!("it was listed");
    };
    assert_eq!(exit, Exit::Code(101));
    let errors = output.lines().filter(|line| {
        line.starts_with(r#"{"reason":"compiler-message""#) && line.contains("E0425")
    });
    assert_ne!(errors.count(), 0, "{output}");
    let programs = cargo_programs(&room.commands(room.walls), &plan(&room, &CARGO)).await;
    assert!(matches!(
        programs.unwrap(),
        CargoPrograms::Broken { exit: Exit::Code(101), output } if output.contains("E0425")
    ));
}

#[tokio::test]
async fn a_test_that_is_gone_is_not_executed() {
    let room = room().await;
    write(
        &room,
        "Cargo.toml",
        "[workspace]\n[package]\nname = \"demo\"\nedition = \"2021\"\n",
    );
    write(&room, "src/lib.rs", "#[test] fn one() {}\n");
    let tests = listed(&room, &CARGO).await;
    let one = test_named(&tests, "one");
    assert_eq!(run(&room, &CARGO, one).await.verdict, Passed);
    // The same file now holds a program without that test.
    write(&room, "src/lib.rs", "#[test] fn two() {}\n");
    listed(&room, &CARGO).await;
    let seen = run(&room, &CARGO, one).await;
    assert_eq!((seen.verdict, seen.exit), (NotExecuted, Exit::Code(0)));
}

/// A test that puts another program into the place of its own.
const SWAPPED: &str = r#"#[test] fn a_swaps() {
    let own = std::env::current_exe().unwrap();
    let fake = own.with_file_name("fake");
    std::fs::copy("/bin/true", &fake).unwrap();
    std::fs::rename(&fake, &own).unwrap();
}
#[test] fn b_bad() { panic!("bad") }
"#;

#[tokio::test]
async fn a_test_cannot_put_a_program_in_the_place_of_others() {
    let room = room().await;
    write(
        &room,
        "Cargo.toml",
        "[workspace]\n[package]\nname = \"demo\"\nedition = \"2021\"\n",
    );
    write(&room, "src/lib.rs", SWAPPED);
    let tests = listed(&room, &CARGO).await;
    let bad = test_named(&tests, "b_bad");
    assert_eq!(run(&room, &CARGO, bad).await.verdict, Failed);
    let swaps = test_named(&tests, "a_swaps");
    assert_eq!(run(&room, &CARGO, swaps).await.verdict, Passed);
    let seen = run(&room, &CARGO, bad).await;
    assert_eq!((seen.verdict, seen.exit), (NotExecuted, Exit::Code(0)));
    assert!(seen.output.contains("changed since the tests were listed"));
}

/// A macro that prints what cargo would, with an executable of its own choice for the library, whose
/// tests are off.
const MACRO: &str = r##"extern crate proc_macro;
#[proc_macro]
pub fn forge(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let fake = format!("{root}/target/fake");
    std::fs::write(&fake, "#!/bin/sh\necho 'forged: test'\n").unwrap();
    std::process::Command::new("chmod").args(["+x", &fake]).status().unwrap();
    for start in ["", " "] {
        let line = format!(r#"{start}{{"reason":"compiler-artifact","package_id":"path+file://{root}#demo@0.0.0","manifest_path":"{root}/Cargo.toml","target":{{"kind":["lib"],"crate_types":["lib"],"name":"demo","src_path":"{root}/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true}},"profile":{{"opt_level":"0","debuginfo":2,"debug_assertions":true,"overflow_checks":true,"test":true}},"features":[],"filenames":["{fake}"],"executable":"{fake}","fresh":true}}"#);
        println!("{line}");
        eprintln!("{line}");
    }
    proc_macro::TokenStream::new()
}
"##;

#[tokio::test]
async fn an_executable_that_a_macro_names_is_not_taken() {
    let room = room().await;
    let manifest = "[workspace]\nmembers = [\"forger\"]\n[package]\nname = \"demo\"\nedition = \"2021\"\n\
        [dependencies]\nforger = { path = \"forger\" }\n";
    write(&room, "Cargo.toml", manifest);
    write(
        &room,
        "forger/Cargo.toml",
        "[package]\nname = \"forger\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
    );
    write(&room, "forger/src/lib.rs", MACRO);
    write(
        &room,
        "src/lib.rs",
        "forger::forge!();\n#[test] fn real() {}\n",
    );
    check(&room, &CARGO, &[("real", Passed)]).await;
    // The same where cargo itself names none.
    write(
        &room,
        "Cargo.toml",
        &format!("{manifest}[lib]\ntest = false\n"),
    );
    check(&room, &CARGO, &[]).await;
}
