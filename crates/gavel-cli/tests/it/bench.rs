//! A workbench for the binary: its own home, state, project, repository and fake provider.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use gavel_domain::RunId;
use gavel_testkit::{FakeReply, FakeServer, ToyBed, fake_server, text_asked_for};
use serde_json::Value;

pub(crate) struct Bench {
    folder: PathBuf,
    /// Removes the folder at the end, unless the caller named one.
    _temporary: Option<tempfile::TempDir>,
    pub(crate) toy: ToyBed,
    pub(crate) server: FakeServer,
}

/// How a command ended.
#[must_use = "look at the exit code"]
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    /// A provider that answers the same request always the same way, at a known price.
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let bench = Self::at(temporary.path());
        Self {
            _temporary: Some(temporary),
            ..bench
        }
    }

    /// The same in this folder, which stays.
    pub(crate) fn at(folder: &Path) -> Self {
        let toy = ToyBed::new(folder);
        let rule = |seen: &gavel_testkit::SeenRequest| {
            let asked = seen.last_asked().unwrap_or_default();
            FakeReply::text(&format!("a line for: {asked}"))
        };
        let server = fake_server().rule(rule).start();
        let settings = format!(
            "[models]\npaid = \"agreed\"\n\n[models.endpoints.fake]\nurl = \"{}\"\n\n[[models.catalogue]]\nid = \"fake/model\"\n\
             price = {{ input = \"1\", output = \"2\" }}\n",
            server.openai_url()
        );
        std::fs::create_dir_all(folder.join("project")).unwrap();
        std::fs::create_dir_all(folder.join("home/.config/gavel")).unwrap();
        let bench = Self {
            folder: folder.to_owned(),
            _temporary: None,
            toy,
            server,
        };
        std::fs::write(bench.own_file(), settings).unwrap();
        std::fs::write(bench.project_file(), "[models]\nmax_input = 70000\n").unwrap();
        bench
    }

    /// The settings of the person.
    pub(crate) fn own_file(&self) -> PathBuf {
        self.folder().join("home/.config/gavel/config.toml")
    }

    /// The settings that came with the project.
    pub(crate) fn project_file(&self) -> PathBuf {
        self.folder().join("project/gavel.toml")
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder().join("state")
    }

    /// The binary with a clean environment: this build's, or that of `GAVEL_TEST_BINARY`, such as an
    /// older one.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is how a person starts the binary"
    )]
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let binary = text_asked_for("GAVEL_TEST_BINARY");
        let mut command = Command::new(binary.as_deref().unwrap_or(env!("CARGO_BIN_EXE_gavel")));
        let git = gavel_testkit::git_program();
        command
            .env_clear()
            .env("HOME", self.folder().join("home"))
            .env("XDG_STATE_HOME", self.folder().join("xdg"))
            .env("PATH", git.parent().unwrap())
            .env("TZ", "UTC")
            .current_dir(self.folder().join("project"))
            .arg("--state")
            .arg(self.state())
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        ended(self.spawn(args))
    }

    /// Runs with `--json` and reads the last line.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let ended = self.run(&[&["--json"], args].concat());
        let line = ended.stdout.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
    }

    /// The arguments of a toy run.
    pub(crate) fn toy_args<'a>(&'a self, run: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let fixed = [
            "toy",
            "--repository",
            "../checkout",
            "--place",
            "..",
            "--run",
            run,
        ];
        [&fixed[..], &["--model", "fake/model"], more].concat()
    }
}

pub(crate) fn ended(child: Child) -> Ended {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    Ended {
        code: status.code(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// The id of a test's run.
pub(crate) fn run_id() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}
