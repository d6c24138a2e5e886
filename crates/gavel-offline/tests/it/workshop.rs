//! Where generated programs are built: one target folder for each test, below cargo's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gavel_offline::{Design, File, Understood, criteria, understand, write_program};

/// A folder with sources and a place for what cargo makes of them.
pub(crate) struct Workshop {
    root: PathBuf,
}

impl Workshop {
    pub(crate) fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("programs")
            .join(name);
        fs::create_dir_all(&root).unwrap();
        Self { root }
    }

    /// Writes what differs, so that an unchanged program is not built again.
    pub(crate) fn write(&self, name: &str, files: &[File]) -> PathBuf {
        let folder = self.root.join(name);
        for file in files {
            let path = folder.join(&file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if fs::read_to_string(&path).ok().as_ref() != Some(&file.content) {
                fs::write(&path, &file.content).unwrap();
            }
        }
        folder
    }

    /// The built binary of the program in the folder.
    pub(crate) fn build(&self, folder: &Path, program: &str) -> PathBuf {
        expect_success(&self.cargo(folder, &["build", "--locked"]));
        self.root.join("target/debug").join(program)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a program's own build is what is tested"
    )]
    pub(crate) fn cargo(&self, folder: &Path, args: &[&str]) -> Output {
        Command::new(env!("CARGO"))
            .args(args)
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            // Clippy would climb to the settings of the project that this is.
            .env("CLIPPY_CONF_DIR", std::env::temp_dir())
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_BUILD_TARGET")
            .output()
            .unwrap()
    }
}

pub(crate) fn design(idea: &str) -> Design {
    match understand(idea) {
        Understood::InReach(design) => design,
        other @ (Understood::Vague { .. } | Understood::BeyondReach { .. }) => {
            panic!("{idea}: {other:?}")
        }
    }
}

pub(crate) fn program(design: &Design) -> Vec<File> {
    write_program(design, &criteria(design))
}

pub(crate) fn expect_success(output: &Output) {
    let (said, error) = (&output.stdout, &output.stderr);
    let (said, error) = (
        String::from_utf8_lossy(said),
        String::from_utf8_lossy(error),
    );
    assert!(output.status.success(), "{said}\n{error}");
}
