//! Package managers through the whole program: a project that behaves is fetched for, tested and sealed;
//! its hostile twin tells nobody anything. They take packages from the public registries, and the
//! managers themselves too, so that they are asked for: `cargo xtask test --with attacks`.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use gavel_domain::VerifyFinished;
use gavel_testkit::asked_for;

use crate::attacks::install::README;
use crate::bench::{Bench, Ended, run_id};
use crate::product_hot::project;
use crate::studio::Studio;

const IDEA: &str = "fix the typos in README.md";

/// Somebody on this machine who must hear nothing.
struct Spy {
    port: u16,
    heard: Arc<AtomicUsize>,
}

impl Spy {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&heard);
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                count.fetch_add(1, Ordering::SeqCst);
                let mut bytes = [0; 512];
                drop(stream.read(&mut bytes));
                drop(stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
            }
        });
        Self { port, heard }
    }

    fn heard(&self) -> usize {
        self.heard.load(Ordering::SeqCst)
    }
}

/// A folder of programs as `CARGO_HOME` names one: `bin` is all that commands see of it.
#[expect(
    clippy::disallowed_methods,
    reason = "the fixture installs package managers"
)]
fn managers() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("managers-home");
        let bin = home.join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let npm = |folder: &str, package: &str| {
            let done = Command::new("npm")
                .args(["install", "--prefix", folder, package])
                .current_dir(&bin)
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        for (folder, package) in [
            ("pnpm-lib", "pnpm"),
            ("yarn-lib", "yarn@1"),
            ("berry-lib", "@yarnpkg/cli-dist"),
            ("bun-lib", "bun"),
        ] {
            if !bin.join(folder).join("node_modules").is_dir() {
                npm(folder, package);
            }
        }
        if !bin.join("uv-lib").is_dir() {
            let target = bin.join("uv-lib");
            let done = Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--target"])
                .args([target.as_os_str(), "uv".as_ref()])
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
        }
        home
    })
}

/// Makes one manager be found, under its usual name.
fn with_manager(name: &str, program: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let shared = managers();
    let home = shared.join(format!("of-{}", program.replace(['/', '.', '@'], "-")));
    let bin = home.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let (library, _) = program.split_once('/').unwrap();
    let copied = bin.join(library);
    if !copied.is_dir() {
        copy(&shared.join("bin").join(library), &copied);
    }
    let script =
        format!("#!/bin/sh\nexec \"$(dirname \"$(readlink -f \"$0\")\")/{program}\" \"$@\"\n");
    std::fs::write(bin.join(name), script).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(bin.join(name), mode).unwrap();
    home
}

#[expect(clippy::disallowed_methods, reason = "the fixture copies a folder")]
fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(done.unwrap().success());
}

type Files<'a> = &'a [(&'a str, &'a str)];

/// The small change in a project of these files, made and sealed.
fn changed(studio: &Studio, home: Option<&Path>) -> Ended {
    let id = run_id().to_string();
    let mut command = studio.command(&["start", IDEA, "--run", &id, "--yes"]);
    // Where this machine's registries have certificates of its own, managers are told so here.
    for name in ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] {
        if let Some(file) = gavel_testkit::text_asked_for(name) {
            command.env(name, file);
        }
    }
    if let Some(home) = home {
        command.env("CARGO_HOME", home);
    }
    crate::bench::ended(command.spawn().unwrap())
}

/// What every project has beside its own files.
fn whole<'a>(files: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let ignored = "node_modules\n.venv\n*.egg-info\n__pycache__\ntarget\n.pytest_cache\n.yarn\n";
    [files, &[("README.md", README), (".gitignore", ignored)]].concat()
}

#[track_caller]
fn is_sealed(studio: &Studio, ended: &Ended, hosts: &[&str]) {
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let facts = studio.look().facts::<VerifyFinished>();
    let steps = || facts.iter().flat_map(|fact| &fact.install);
    let reached = steps().flat_map(|step| &step.hosts);
    let mut reached: Vec<&str> = reached.map(|row| row.host.as_str()).collect();
    reached.sort_unstable();
    reached.dedup();
    assert!(!reached.is_empty(), "nothing was fetched: {facts:?}");
    assert!(
        reached.iter().all(|host| hosts.contains(host)),
        "{reached:?}"
    );
    assert!(steps().all(|step| step.refused.is_empty()), "{facts:?}");
    assert!(facts.iter().all(|fact| fact.executed > 0), "{facts:?}");
    let sealed = studio.bench.json(&["seal", "verify", &branch()]);
    assert!(sealed["verdict"].is_string(), "{sealed}");
}

fn branch() -> String {
    format!("gavel/build-{}", run_id().short())
}

/// JavaScript that tells the spy, whoever loads it.
fn tells(port: u16) -> String {
    format!(
        "const s = require('net').connect({port}, '127.0.0.1', () => s.end('GET /caught\\r\\n\\r\\n'));\n\
         s.on('error', () => {{}});\n"
    )
}

const NODE_TEST: &str =
    "require('node:test')('pads', () => { if (require('left-pad')('a', 2) !== ' a') throw 1; });\n";
const NPM_HOSTS: [&str; 2] = ["registry.npmjs.org", "registry.yarnpkg.com"];

/// A project whose lock file its manager writes, and the same with scripts and files that tell a spy.
#[expect(
    clippy::disallowed_methods,
    reason = "the fixture lets a manager write a lock"
)]
fn node(name: &str, program: Option<&str>, (lock, hostile): (&[&str], Files<'_>)) {
    if !asked_for("attacks") {
        return;
    }
    let home = program.map(|program| with_manager(name, program));
    for spy in [None, Some(Spy::start())] {
        let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        // Pnpm writes to /tmp whatever its environment says, and commands have a /tmp of their own only
        // where nothing of Gavel lies below it.
        let studio = Studio::on(Bench::at(place.path()));
        let scripts = match &spy {
            None => r#""test":"node --test""#,
            Some(_) => {
                r#""test":"node --test","preinstall":"node tell.js","postinstall":"node tell.js","prepare":"node tell.js""#
            }
        };
        let manifest = format!(
            r#"{{"name":"demo","version":"1.0.0","license":"MIT","scripts":{{{scripts}}},"dependencies":{{"left-pad":"1.3.0"}}}}"#
        );
        let told = tells(spy.as_ref().map_or(0, |spy| spy.port));
        let mut files = whole(&[("package.json", &manifest), ("a.test.js", NODE_TEST)]);
        let own: Vec<(&str, String)> = hostile
            .iter()
            .map(|(name, text)| (*name, text.replace("CODE", &told)))
            .collect();
        if spy.is_some() {
            files.push(("tell.js", &told));
            files.extend(own.iter().map(|(name, text)| (*name, text.as_str())));
        }
        // What a newer yarn is known by.
        if name == "yarn"
            && program.is_some_and(|program| program.starts_with("berry"))
            && spy.is_none()
        {
            files.push((".yarnrc.yml", "nodeLinker: node-modules\n"));
        }
        let folder = studio.bench.folder().join("project");
        let plain = tempfile::tempdir().unwrap();
        std::fs::write(plain.path().join("package.json"), &manifest).unwrap();
        if let Some((_, text)) = files.iter().find(|(name, _)| *name == ".yarnrc.yml") {
            let safe: String = text
                .lines()
                .filter(|line| line.starts_with("nodeLinker"))
                .collect();
            std::fs::write(plain.path().join(".yarnrc.yml"), safe).unwrap();
        }
        let mut maker = match &home {
            Some(home) => Command::new(home.join("bin").join(name)),
            None => Command::new(name),
        };
        let made = maker
            .args(lock)
            .current_dir(plain.path())
            .env("npm_config_ignore_scripts", "true")
            .env("YARN_ENABLE_SCRIPTS", "false")
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let locks = [
            "package-lock.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock",
        ];
        let found = locks.iter().find_map(|name| {
            Some((
                *name,
                std::fs::read_to_string(plain.path().join(name)).ok()?,
            ))
        });
        let (lock_name, lock_text) = found.unwrap();
        files.push((lock_name, &lock_text));
        project(&studio, &files);
        assert!(folder.join(lock_name).exists());
        let ended = changed(&studio, home.as_deref());
        match spy {
            None => is_sealed(&studio, &ended, &NPM_HOSTS),
            Some(spy) => assert_eq!(spy.heard(), 0, "{ended:?}"),
        }
    }
}

#[test]
fn npm_projects_are_sealed_and_their_scripts_tell_nobody() {
    let hostile = [(
        ".npmrc",
        "node-options=--require ./tell.js\nfetch-retries=0\n",
    )];
    node("npm", None, (&["install", "--package-lock-only"], &hostile));
}

#[test]
fn pnpm_projects_are_sealed_and_their_hooks_tell_nobody() {
    let hostile = [(".pnpmfile.cjs", "CODE\nmodule.exports = { hooks: {} };\n")];
    let program = "pnpm-lib/node_modules/.bin/pnpm";
    node(
        "pnpm",
        Some(program),
        (&["install", "--lockfile-only"], &hostile),
    );
}

#[test]
fn classic_yarn_projects_are_sealed_and_their_programs_tell_nobody() {
    let hostile = [(".yarnrc", "yarn-path \"./tell.js\"\n")];
    let program = "yarn-lib/node_modules/.bin/yarn";
    node(
        "yarn",
        Some(program),
        (&["install", "--ignore-scripts"], &hostile),
    );
}

#[test]
fn newer_yarn_projects_are_sealed_and_their_plugins_tell_nobody() {
    let hostile = [
        (
            ".yarnrc.yml",
            "nodeLinker: node-modules\nyarnPath: ./tell.js\nplugins:\n  - ./plugin.cjs\n",
        ),
        (
            "plugin.cjs",
            "CODE\nmodule.exports = { name: 'p', factory: () => ({}) };\n",
        ),
    ];
    let program = "berry-lib/node_modules/.bin/yarn";
    node(
        "yarn",
        Some(program),
        (&["install", "--mode=update-lockfile"], &hostile),
    );
}

#[test]
fn bun_projects_are_sealed_and_their_scanners_tell_nobody() {
    let hostile = [(
        "bunfig.toml",
        "preload = [\"./tell.js\"]\n[install.security]\nscanner = \"./tell.js\"\n",
    )];
    let program = "bun-lib/node_modules/.bin/bun";
    node(
        "bun",
        Some(program),
        (&["install", "--lockfile-only"], &hostile),
    );
}

const PY_HOSTS: [&str; 2] = ["pypi.org", "files.pythonhosted.org"];
const PY_TEST: &str = "import six\n\n\ndef test_a():\n    assert six.PY3\n";

fn py_tells(port: u16) -> String {
    format!(
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), 3).send(b'GET /caught\\r\\n\\r\\n')\n\
         except OSError:\n    pass\n"
    )
}

/// A Python project, and the same with files that a careless Python would load while it fetches.
fn python(manifests: Files<'_>, manager: Option<(&str, &str)>, lock: Option<&[&str]>) {
    if !asked_for("attacks") {
        return;
    }
    let home = manager.map(|(name, program)| with_manager(name, program));
    for spy in [None, Some(Spy::start())] {
        let studio = Studio::offline();
        let told = py_tells(spy.as_ref().map_or(0, |spy| spy.port));
        let mut files = whole(manifests);
        files.push(("tests/test_a.py", PY_TEST));
        files.push(("demo/__init__.py", "X = 1\n"));
        if spy.is_some() {
            for name in [
                "pip/__init__.py",
                "pip/__main__.py",
                "sitecustomize.py",
                "setuptools/__init__.py",
            ] {
                files.push((name, &told));
            }
        }
        let locked = lock.map(|words| uv_lock(home.as_deref().unwrap(), words, manifests));
        if let Some(text) = &locked {
            files.push(("uv.lock", text));
        }
        project(&studio, &files);
        let ended = changed(&studio, home.as_deref());
        match spy {
            None => is_sealed(&studio, &ended, &PY_HOSTS),
            Some(spy) => assert_eq!(spy.heard(), 0, "{ended:?}"),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the fixture lets a manager write a lock"
)]
fn uv_lock(home: &Path, words: &[&str], manifests: Files<'_>) -> String {
    let plain = tempfile::tempdir().unwrap();
    for (name, text) in manifests {
        std::fs::write(plain.path().join(name), text).unwrap();
    }
    let made = Command::new(home.join("bin/uv"))
        .args(words)
        .current_dir(plain.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    std::fs::read_to_string(plain.path().join("uv.lock")).unwrap()
}

#[test]
fn pip_projects_are_sealed_and_tell_nobody() {
    python(&[("requirements.txt", "six==1.16.0\npytest\n")], None, None);
}

#[test]
fn setuptools_projects_are_sealed_and_tell_nobody() {
    let manifest = "[build-system]\nrequires = [\"setuptools>=64\"]\nbuild-backend = \"setuptools.build_meta\"\n\
        [project]\nname = \"demo\"\nversion = \"1.0\"\ndependencies = [\"six\"]\n[tool.setuptools]\npackages = [\"demo\"]\n";
    python(&[("pyproject.toml", manifest)], None, None);
}

#[test]
fn poetry_projects_are_sealed_and_tell_nobody() {
    let manifest = "[build-system]\nrequires = [\"poetry-core\"]\nbuild-backend = \"poetry.core.masonry.api\"\n\
        [tool.poetry]\nname = \"demo\"\nversion = \"1.0\"\ndescription = \"\"\nauthors = []\npackages = [{ include = \"demo\" }]\n\
        [tool.poetry.dependencies]\npython = \">=3.9\"\nsix = \"^1.16\"\n";
    let lock = "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n";
    python(
        &[("pyproject.toml", manifest), ("poetry.lock", lock)],
        None,
        None,
    );
}

#[test]
fn uv_projects_are_sealed_and_tell_nobody() {
    let manifest = "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n\
        [project]\nname = \"demo\"\nversion = \"1.0\"\nrequires-python = \">=3.9\"\ndependencies = [\"six\"]\n\
        [tool.hatch.build.targets.wheel]\npackages = [\"demo\"]\n";
    let files = [("pyproject.toml", manifest)];
    python(
        &files,
        Some(("uv", "uv-lib/bin/uv")),
        Some(&["lock", "--native-tls"]),
    );
}

#[test]
fn cargo_projects_are_sealed_and_their_settings_tell_nobody() {
    if !asked_for("attacks") {
        return;
    }
    let source = "//! A demo.\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn copies() {\n        \
        let copied: u32 = itoa::Buffer::new().format(7).parse().unwrap();\n        assert_eq!(copied, 7);\n    }\n}\n";
    let manifest = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nitoa = \"1\"\n";
    for spy in [None, Some(Spy::start())] {
        let studio = Studio::offline();
        let mut files = whole(&[("Cargo.toml", manifest), ("src/lib.rs", source)]);
        let port = spy.as_ref().map_or(0, |spy| spy.port);
        let settings = format!(
            "[http]\nproxy = \"127.0.0.1:{port}\"\n[source.crates-io]\nreplace-with = \"theirs\"\n\
             [source.theirs]\nregistry = \"sparse+http://127.0.0.1:{port}/\"\n"
        );
        if spy.is_some() {
            files.push((".cargo/config.toml", &settings));
        }
        project(&studio, &files);
        let ended = changed(&studio, None);
        match spy {
            None => is_sealed(&studio, &ended, &["index.crates.io", "static.crates.io"]),
            Some(spy) => assert_eq!(spy.heard(), 0, "{ended:?}"),
        }
    }
}
