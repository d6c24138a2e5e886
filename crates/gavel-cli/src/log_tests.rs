use std::sync::{Arc, Mutex};

use clap::Parser as _;

use super::*;
use crate::args::Cli;

/// What a person sees of the same events with these flags.
fn heard(flags: &[&str]) -> String {
    let cli = Cli::try_parse_from([&["gavel"], flags, &["status"]].concat()).unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let log = Log {
        most: level(&cli.general),
        print: move |line: &str| kept.lock().unwrap().push(line.to_owned()),
    };
    tracing::subscriber::with_default(log, || {
        let _span = tracing::error_span!("inside").entered();
        tracing::error!(run = 7, "stopped");
        tracing::warn!(path = %"a\x1b[31m\nb", "stays");
        tracing::info!("began");
        tracing::debug!("counted");
        tracing::trace!("turned");
        tracing::error!(target: "sqlx::query", "of somebody else");
    });
    let lines = lines.lock().unwrap();
    lines.join("\n")
}

#[test]
fn flags_say_how_much_is_heard() {
    let warnings = "error: stopped run=7\nwarning: stays path=a[31m b";
    assert_eq!(heard(&[]), warnings);
    let more = format!("{warnings}\ninfo: began\ndebug: counted");
    assert_eq!(heard(&["-v"]), more);
    assert_eq!(heard(&["-q"]), "");
    assert_eq!(heard(&["-q", "-v"]), "");
}
