//! `cargo xtask bench mcp`: what a client waits for: the first reply of a server that was just
//! started, a list of tools, a contract, an inbox among many loops, a search in memory. Over standard input
//! and output, a line each.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::figures::Samples;
use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say, table};

const STARTS: usize = 50;
const CALLS: usize = 1_000;
/// Loops among which an agent looks for its turns.
const LOOPS: usize = 1_000;
/// Items in which a warm server searches.
const ITEMS: usize = 50;
const SEARCH: &str = "gavel_memory_search";

/// A server and the two ends of the talk with it.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// A finished project to ask about, with a state folder of its own.
struct Project {
    gavel: PathBuf,
    folder: PathBuf,
    state: PathBuf,
}

/// Runs the verb.
pub(super) fn run(mut args: Args) -> Result<()> {
    let calls = args.parsed("--calls")?.unwrap_or(CALLS);
    args.finish()?;
    say::line(&super::load());
    let build = ["build", "--release", "--locked", "--quiet"];
    let build = Exec::cargo().args(build).args(["--package", "gavel-cli"]);
    build.run()?;
    let project = Project::make()?;
    let mut rows = vec![
        ["milliseconds", "p50", "p99", "memory"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let (first, memory) = starts(&project)?;
    rows.push(row("start to first reply", &first, &memory));
    let mut server = project.server()?;
    server.greet()?;
    remember(&mut server)?;
    let begun = Instant::now();
    open_loops(&mut server)?;
    let opened = begun.elapsed();
    let inbox = format!("an inbox among {LOOPS} loops, with 10 turns");
    let search = format!("a search in {ITEMS} items");
    for (name, call) in [
        ("tools/list, all tools", None),
        (
            "a contract",
            Some(called("gavel_get_contract", &json!({"kind": "physics"}))),
        ),
        (
            inbox.as_str(),
            Some(called(
                "gavel_loop",
                &json!({"intent": "inbox", "agent_id": "bea"}),
            )),
        ),
        (
            search.as_str(),
            Some(called(
                SEARCH,
                &json!({"text": "slow tag report", "proposed": true}),
            )),
        ),
    ] {
        let (method, params) = match call {
            Some(call) => ("tools/call", call),
            None => ("tools/list", json!({})),
        };
        let mut times = Vec::new();
        for _ in 0..calls {
            let begun = Instant::now();
            let line = server.ask(method, &params)?;
            times.push(begun.elapsed().as_secs_f64() * 1_000.0);
            // Read only now: this program is not built to be quick.
            checked(name, &line)?;
        }
        rows.push(row(name, &Samples::of(times), &server.memory()?));
    }
    say::line(&format!(
        "{LOOPS} loops were opened in {:.1} s.",
        opened.as_secs_f64()
    ));
    server.end()?;
    say::line(&table::layout(&rows));
    Ok(())
}

fn called(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// A reply that is no refusal.
fn checked(name: &str, line: &str) -> Result<Value> {
    let reply: Value = serde_json::from_str(line)?;
    let refused = reply.pointer("/result/isError") == Some(&json!(true));
    if reply.get("result").is_none() || refused {
        bail!("{name} was refused: {reply}");
    }
    Ok(reply)
}

/// Proposes items to memory; a search is asked for them too.
fn remember(server: &mut Server) -> Result<()> {
    let things = ["tag", "report", "index", "cache", "import"];
    for (number, thing) in things.iter().cycle().take(ITEMS).enumerate() {
        let text = format!(
            "Item {number}: the {thing} was slow until its {thing} table had a key of its own."
        );
        let item = json!({"kind": "trap", "text": text});
        let line = server.ask("tools/call", &called("gavel_memory_add", &item))?;
        checked("an item", &line)?;
    }
    Ok(())
}

/// Opens loops of one agent; ten of them ask another one.
fn open_loops(server: &mut Server) -> Result<()> {
    for number in 0..LOOPS {
        let asked = if number % (LOOPS / 10) == 0 {
            "bea"
        } else {
            "cyd"
        };
        let open = json!({
            "intent": "open", "agent_id": "ann", "kind": "consult", "title": format!("loop {number}"),
            "goal": "Which index?", "slots": [{"role": "adviser", "agent": asked}]
        });
        let line = server.ask("tools/call", &called("gavel_loop", &open))?;
        checked("a loop", &line)?;
    }
    Ok(())
}

/// How long servers take to say their first word, and how much memory they have then.
fn starts(project: &Project) -> Result<(Samples, String)> {
    let mut times = Vec::new();
    let mut memory = String::new();
    for round in 0..=STARTS {
        let begun = Instant::now();
        let mut server = project.server()?;
        server.greet()?;
        // The first round only warms the caches.
        if round > 0 {
            times.push(begun.elapsed().as_secs_f64() * 1_000.0);
        }
        memory = server.memory()?;
        server.end()?;
    }
    Ok((Samples::of(times), memory))
}

fn row(name: &str, times: &Samples, memory: &str) -> Vec<String> {
    let (median, slow) = (times.median(), times.percentile(99));
    vec![
        name.to_owned(),
        format!("{median:.2}"),
        format!("{slow:.2}"),
        memory.to_owned(),
    ]
}

impl Project {
    /// Makes one with the offline rules, which cost nothing.
    fn make() -> Result<Self> {
        let scratch = place::scratch("bench-mcp")?;
        let project = Self {
            gavel: place::root().join("target/release/gavel"),
            folder: scratch.join("bookmarks"),
            state: scratch.join("state"),
        };
        for folder in [&project.folder, &project.state] {
            if folder.exists() {
                fs::remove_dir_all(folder)?;
            }
        }
        let idea = ["start", "a bookmark manager with tags", "--yes", "--quiet"];
        let start = Exec::new(&project.gavel).args(idea);
        let start = start.args([
            "--model".as_ref(),
            "offline".as_ref(),
            "--into".as_ref(),
            project.folder.as_os_str(),
        ]);
        let start = start.env("XDG_STATE_HOME", &project.state);
        start
            .output()
            .context("no project could be made to ask about")?;
        Ok(project)
    }

    fn server(&self) -> Result<Server> {
        let words: [&Path; 5] = [
            "-C".as_ref(),
            &self.folder,
            "mcp".as_ref(),
            "--tools".as_ref(),
            "all".as_ref(),
        ];
        let exec = Exec::new(&self.gavel).args(words);
        let mut command = exec.env("XDG_STATE_HOME", &self.state).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().context("the server has no input")?;
        let output = child.stdout.take().context("the server has no output")?;
        Ok(Server {
            child,
            input,
            output: BufReader::new(output),
        })
    }
}

impl Server {
    fn greet(&mut self) -> Result<()> {
        let greeting = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}
        });
        self.ask("initialize", &greeting)?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(self.input, "{ready}")?;
        Ok(())
    }

    /// Asks, and gives the line that comes back.
    fn ask(&mut self, method: &str, params: &Value) -> Result<String> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(self.input, "{request}")?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("the server ended before it replied to {method}");
        }
        Ok(line)
    }

    /// The most memory that it had so far.
    fn memory(&self) -> Result<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = mark
            .context("the server ended")?
            .trim_end_matches("kB")
            .trim();
        let kilobytes: f64 = mark.parse()?;
        Ok(format!("{:.1} MB", kilobytes / 1024.0))
    }

    /// Hangs up and waits until it is gone.
    fn end(self) -> Result<()> {
        let Self {
            mut child,
            input,
            output,
        } = self;
        drop((input, output));
        if !child.wait()?.success() {
            bail!("the server did not end well");
        }
        Ok(())
    }
}
