//! A person at a terminal: what is drawn, what is asked, and what other terminals do meanwhile.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::bench::{Bench, ended, run_id};
use crate::studio::IDEA;

/// Longer than anything takes that does not hang.
const PATIENCE: Duration = Duration::from_secs(25);

/// The binary in a terminal of its own.
pub(crate) struct Terminal {
    child: Child,
    keys: File,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    pub(crate) fn open(mut command: Command, columns: u16) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let size = Winsize {
            ws_row: 40,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&keys, size).unwrap();
        let name = OsString::from_vec(ptsname(&keys, Vec::new()).unwrap().into_bytes());
        let screen = File::options().read(true).write(true).open(name).unwrap();
        let side = || screen.try_clone().unwrap();
        command.stdin(side()).stdout(side()).stderr(side());
        let child = command.env("TERM", "xterm").spawn().unwrap();
        // Nobody but the child holds its side, so that reading ends with it.
        drop((command, screen));
        let keys = File::from(keys);
        let mut shown = keys.try_clone().unwrap();
        let (send, output) = sync_channel(64);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count) = shown.read(&mut buffer) {
                if count == 0 || send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            keys,
            output,
            seen: String::new(),
        }
    }

    /// Waits until a text was shown that has not been waited for; returns all up to it.
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(place) = self.seen.find(text) {
                let rest = self.seen.split_off(place + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("{error} waiting for {text:?}: {:?}", self.seen),
            }
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// The process, for whoever kills it.
    pub(crate) fn into_child(self) -> Child {
        self.child
    }

    fn interrupt(&self) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).unwrap();
    }

    /// Waits for the end; returns the exit code and what was shown since the last wait.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        (code, self.seen)
    }
}

fn start(bench: &Bench, more: &[&str], columns: u16) -> Terminal {
    let id = run_id().to_string();
    let fixed = ["start", IDEA, "--into", "made", "--run", &id];
    Terminal::open(bench.command(&[&fixed[..], more].concat()), columns)
}

#[test]
fn two_terminals_share_a_run_and_a_third_goes_on() {
    let bench = Bench::new();
    let mut first = start(&bench, &[], 100);
    let drawn = first.wait_for("Take them all?");
    assert!(drawn.contains("models"), "{drawn}");
    let invitation = "1–3, Enter takes 1 › ";
    first.wait_for(invitation);
    let watch = bench.spawn(&["-C", "made", "--json", "watch"]);
    first.press("seven\n");
    first.wait_for("type a number from 1 to 3");
    first.wait_for(invitation);

    let answered = bench.run(&["-C", "made", "answer", "--option", "2"]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    first.wait_for("answered in another terminal: go through them one by one");
    first.wait_for("What kind of product is it?");
    first.wait_for("Enter takes 1 › ");
    let said = bench.run(&["-C", "made", "say", "Keep it small."]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "taken\n"));
    first.press("\n");
    first.wait_for("✓");
    first.wait_for("Where does it run?");
    first.wait_for("Enter takes 1 › ");
    first.press("only on my laptop\n");
    first.wait_for("only on my laptop");
    first.wait_for("✓");
    first.wait_for("only on my laptop");
    first.wait_for("Enter takes 1 › ");
    first.interrupt();
    first.wait_for("pausing: what is under way has a second");
    let (code, shown) = first.end();
    assert_eq!(code, Some(130), "{shown}");
    let resume = format!("paused; gavel resume {} goes on", run_id().short());
    assert!(shown.contains(&resume), "{shown}");

    let resumed = bench.run(&["-C", "made", "resume", "--yes"]);
    // Without a toolchain nothing can be tested: it asks, and no provider is to blame.
    assert_eq!(resumed.code, Some(3), "{resumed:?}");
    let stopped = bench.run(&["-C", "made", "answer", "--option", "2", "--resume"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    let followed = ended(watch);
    assert_eq!(followed.code, Some(0), "{followed:?}");
    for kind in [
        "question_answered",
        "said",
        "heard",
        "paused",
        "resumed",
        "halted",
    ] {
        let kind = format!(r#""kind":"{kind}""#);
        assert!(followed.stdout.contains(&kind), "{kind}");
    }
}

/// What a person sees in the end: a terminal that knows the signs that are used here.
fn screen(output: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut row = 0;
    let mut signs = output.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\n' => {
                row += 1;
                rows.resize(rows.len().max(row + 1), String::new());
            }
            '\r' => {}
            '\u{1b}' => {
                let mut code = String::new();
                while !code.ends_with(|c: char| c.is_ascii_alphabetic()) {
                    code.push(signs.next().unwrap());
                }
                match code.as_str() {
                    "[2K" => rows[row].clear(),
                    "[1A" => row -= 1,
                    colour => assert!(colour.ends_with('m'), "{colour}"),
                }
            }
            other => rows[row].push(other),
        }
    }
    rows
}

#[test]
fn progress_is_drawn_in_place_and_leaves_one_line_for_each_stage() {
    let bench = Bench::new();
    let mut terminal = start(&bench, &["--yes"], 60);
    // Without a toolchain nothing can be tested in the first sprint: it asks.
    let drawn = terminal.wait_for("Enter takes 1 › ");
    assert!(drawn.contains("ctrl-C pauses"), "the foot was drawn");
    terminal.press("2\n");
    let (code, last) = terminal.end();
    assert_eq!(code, Some(1), "{last}");
    let rows = screen(&format!("{drawn}{last}"));
    let begins = |sign: &str| rows.iter().filter(|row| row.starts_with(sign)).count();
    assert_eq!(begins("✓ "), 5, "{rows:#?}");
    assert!(rows.iter().all(|row| !row.contains("ctrl-C")), "{rows:#?}");
    for line in &rows {
        let wide = line.chars().count();
        let ours = line.starts_with('✓') || line.starts_with('✗');
        assert!(!ours || wide < 60, "{line}");
    }
}

#[test]
fn a_refusal_by_rules_is_asked_about_at_the_terminal() {
    let bench = Bench::new();
    let args = ["start", "a web shop with payments", "--into", "made"];
    let mut terminal = Terminal::open(bench.command(&args), 80);
    terminal.wait_for("cannot be done");
    terminal.wait_for("own words");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(3), "{shown}");
    assert!(shown.contains("resume"), "{shown}");
}

#[test]
fn no_colour_is_used_where_none_is_wanted() {
    let bench = Bench::new();
    let args = ["start", "a web shop with payments", "--into", "made"];
    let mut command = bench.command(&args);
    command.env("NO_COLOR", "1");
    let mut terminal = Terminal::open(command, 80);
    let mut shown = terminal.wait_for("own words");
    shown.push_str(&terminal.wait_for("› "));
    terminal.press("\u{4}");
    let (code, rest) = terminal.end();
    shown.push_str(&rest);
    assert_eq!(code, Some(3), "{shown}");
    for code in ["[1m", "[2m", "[32m", "[0m"] {
        assert!(!shown.contains(&format!("\u{1b}{code}")), "{shown}");
    }
}

#[test]
fn whoever_ends_the_input_leaves_the_run_paused() {
    let bench = Bench::new();
    let mut terminal = start(&bench, &[], 80);
    terminal.wait_for("Enter takes 1 › ");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
    let status = bench.json(&["status", &run_id().to_string()]);
    assert_eq!(
        (&status["state"], &status["question"]),
        (&"paused".into(), &"discovery-1/recommended".into())
    );
}
