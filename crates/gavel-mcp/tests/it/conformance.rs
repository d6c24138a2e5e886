//! The official conformance suite against our door, for both requirement sets.

use std::path::Path;
use std::process::Stdio;

use gavel_mcp::{HttpDoor, HttpLimits, serve_conformance};
use gavel_testkit::asked_for;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::serving_http::TwoKeys;

const CHECK: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/conformance/check.py"
);
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/conformance");

/// Fails when a scenario fails that `tests/conformance/expected.json` does not name, and when one
/// passes that it names.
#[tokio::test]
async fn peers_official_suite_passes_for_what_is_declared() {
    if !asked_for("peers") {
        return;
    }
    let door = HttpDoor {
        address: "127.0.0.1:0".parse().unwrap(),
        keys: std::sync::Arc::new(TwoKeys),
        key_required: false,
        hosts: Vec::new(),
        limits: HttpLimits::DEFAULT,
    };
    let open = door.open().await.unwrap();
    let url = format!("http://{}/mcp", open.address());
    let mut serving = JoinSet::new();
    serving.spawn(serve_conformance(open, CancellationToken::new()));
    std::fs::create_dir_all(FOLDER).unwrap();
    #[expect(
        clippy::disallowed_methods,
        reason = "the suite is a program of its own"
    )]
    let mut command = tokio::process::Command::new("python3");
    command.args([Path::new(CHECK), Path::new(&url), Path::new(FOLDER)]);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let beside = String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(output.status.success(), "{said}\n{beside}");
}
