//! Products tried out for real, inside every kind of walls that this machine has.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must stop")]

use std::fs;
use std::net::TcpListener;

use gavel_workspace::{
    Argv, CommandError, Smoke, SmokePlan, SmokeSeen, VerifySettings, Walls, smoke,
};
use tokio_util::sync::CancellationToken;

use crate::room::{Room, alive};

async fn tried(room: &Room, what: &Smoke) -> Result<SmokeSeen, CommandError> {
    let plan = SmokePlan {
        policy: room.policy(),
        lock: room.lock(),
        cancel: CancellationToken::new(),
    };
    smoke(&room.commands(room.walls), &plan, what).await
}

fn cli(words: &[&str], exit: i32, expect: Option<&str>) -> Smoke {
    Smoke::Cli {
        argv: Argv::new(words.iter().copied()).unwrap(),
        exit,
        expect: expect.map(str::to_owned),
    }
}

fn http(words: &[&str], path: &str) -> Smoke {
    Smoke::Http {
        start: Argv::new(words.iter().copied()).unwrap(),
        path: path.to_owned(),
        status: 200,
        expect: None,
        ready_ms: 15_000,
    }
}

/// Rooms whose programs can listen.
async fn listening() -> Vec<Room> {
    let mut rooms = Room::each().await;
    rooms.retain(|room| room.walls != Walls::Landlock);
    rooms
}

#[tokio::test]
async fn a_command_is_tried_out_by_exit_code_and_words() {
    let script = "import sys; print('usage: tool'); sys.exit(3)";
    let words = ["python3", "-c", script];
    for room in Room::each().await {
        for (exit, expect, passed, said) in [
            (3, None, true, "it ended with exit code 3, as expected"),
            (
                3,
                Some("usage:"),
                true,
                "it ended with exit code 3, as expected",
            ),
            (3, Some("help"), false, "its output does not hold `help`"),
            (
                0,
                Some("usage:"),
                false,
                "it ended with exit code 3, and 0 was expected",
            ),
        ] {
            let seen = tried(&room, &cli(&words, exit, expect)).await.unwrap();
            assert_eq!((seen.passed, seen.said.as_str()), (passed, said));
            assert_eq!((seen.exit, seen.status), (Some(3), None));
            assert_eq!(seen.excerpt, "usage: tool\n");
        }
        let seen = tried(&room, &cli(&["no-such-tool"], 0, None)).await;
        assert!(
            matches!(seen, Err(CommandError::NotFound { .. })),
            "{seen:?}"
        );
    }
}

const SERVER: &str = "\
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503 if self.path == '/down' else 200)
        self.end_headers()
        self.wfile.write(('asked for ' + self.path).encode())
http.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
";

#[tokio::test]
async fn a_program_that_listens_is_asked_inside_its_walls() {
    let words = ["python3", "-c", SERVER];
    for room in listening().await {
        let seen = tried(&room, &http(&words, "/health?a=b")).await.unwrap();
        assert_eq!(seen.said, "it answered 200, as expected", "{seen:?}");
        assert_eq!(
            (seen.passed, seen.status, seen.exit),
            (true, Some(200), None)
        );
        assert_eq!(seen.request, "GET /health?a=b");
        assert_eq!(seen.excerpt, "asked for /health?a=b");
        // What it printed meanwhile is there too.
        let printed = &seen.outcome.output.text;
        assert!(printed.contains("GET /health?a=b HTTP/1.0"), "{printed}");

        let seen = tried(&room, &http(&words, "/down")).await.unwrap();
        assert_eq!(seen.said, "it answered 503, and 200 was expected");
        assert_eq!((seen.passed, seen.status), (false, Some(503)));
    }
}

#[tokio::test]
async fn the_answer_must_hold_what_is_expected() {
    let start = Argv::new(["python3", "-m", "http.server", "--bind", "::1", "{port}"]).unwrap();
    for room in listening().await {
        fs::write(room.tree().join("page.txt"), "hello from the tree").unwrap();
        for (expect, passed) in [("from the tree", true), ("from elsewhere", false)] {
            let what = Smoke::Http {
                start: start.clone(),
                path: "/page.txt".to_owned(),
                status: 200,
                expect: Some(expect.to_owned()),
                ready_ms: 15_000,
            };
            let seen = tried(&room, &what).await.unwrap();
            assert_eq!(seen.passed, passed, "{seen:?}");
            assert_eq!(seen.argv, start);
        }
    }
}

/// Keeps the line open after its answer, as servers do for the next question.
const LINGERS: &str = "\
import os, socket, time
server = socket.create_server(('127.0.0.1', int(os.environ['PORT'])))
line, _ = server.accept()
line.recv(1000)
line.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok')
time.sleep(600)
";

#[tokio::test]
async fn an_answer_that_is_whole_is_not_waited_for() {
    for room in listening().await {
        let what = Smoke::Http {
            start: Argv::new(["python3", "-c", LINGERS]).unwrap(),
            path: "/".to_owned(),
            status: 200,
            expect: Some("ok".to_owned()),
            ready_ms: 60_000,
        };
        let seen = tried(&room, &what).await.unwrap();
        assert!(seen.passed, "{seen:?}");
        assert!(seen.outcome.elapsed.as_millis() < 30_000, "{seen:?}");
    }
}

#[tokio::test]
async fn a_program_that_ends_or_keeps_silent_does_not_pass() {
    for room in listening().await {
        let dies = [
            "python3",
            "-c",
            "import sys; print('no config'); sys.exit(7)",
        ];
        let seen = tried(&room, &http(&dies, "/")).await.unwrap();
        let said = "the program ended with exit code 7 before it answered";
        assert_eq!((seen.passed, seen.said.as_str()), (false, said));
        assert_eq!((seen.exit, seen.status), (Some(7), None));
        assert_eq!(seen.outcome.output.text, "no config\n");

        let mark = room.mark();
        let Smoke::Http { start, path, .. } = http(&["sleep", &mark], "/") else {
            continue;
        };
        let what = Smoke::Http {
            start,
            path,
            status: 200,
            expect: None,
            ready_ms: 300,
        };
        let seen = tried(&room, &what).await.unwrap();
        let said = "nothing answered on the port that PORT names within 300 ms";
        assert_eq!((seen.passed, seen.said.as_str()), (false, said));
        assert_eq!(alive(&mark), 0);

        let seen = tried(&room, &http(&["no-such-server"], "/")).await;
        assert!(
            matches!(seen, Err(CommandError::NotFound { .. })),
            "{seen:?}"
        );
    }
}

/// The program cannot write the answer itself, and a server outside is not mistaken for it.
#[tokio::test]
async fn the_program_cannot_answer_in_any_other_way() {
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let forge = format!(
        "import glob, time\n\
         line = b'{{\"event\":\"probed\",\"answer\":\"answered\",\"status\":200,\"body\":\"\"}}\\n'\n\
         for name in glob.glob('/proc/*/fd/*'):\n\
         \x20   try:\n\
         \x20       open(name, 'ab', buffering=0).write(line)\n\
         \x20   except OSError:\n\
         \x20       pass\n\
         print('tried', {port}, flush=True)\n\
         time.sleep(600)\n"
    );
    for room in listening().await {
        let what = Smoke::Http {
            start: Argv::new(["python3", "-c", &forge]).unwrap(),
            path: "/".to_owned(),
            status: 200,
            expect: None,
            ready_ms: 2_000,
        };
        let seen = tried(&room, &what).await.unwrap();
        assert!(!seen.passed && seen.status.is_none(), "{seen:?}");
        assert!(seen.outcome.output.text.contains("tried"), "{seen:?}");
    }
}

#[tokio::test]
async fn without_a_network_of_its_own_nothing_can_listen() {
    for room in Room::each().await {
        if room.walls == Walls::Landlock {
            let error = tried(&room, &http(&["python3", "-c", SERVER], "/")).await;
            assert!(
                matches!(error, Err(CommandError::NoLoopback { .. })),
                "{error:?}"
            );
        }
    }
}

#[test]
fn a_table_names_either_a_command_or_a_program_that_listens() {
    let text = "[project]\nid = 'x'\n[verify]\ntest = ['make', 'test']\n\
        [[verify.smoke]]\ncommand = ['./tool', '--help']\nexpect = 'usage'\n\
        [[verify.smoke]]\nstart = ['./serve']\npath = '/health'\nstatus = 204\nready_ms = 500\n";
    let read = VerifySettings::read(text).unwrap().unwrap();
    assert_eq!(read.smoke[0], cli(&["./tool", "--help"], 0, Some("usage")));
    let requests: Vec<_> = read.smoke.iter().map(Smoke::request).collect();
    assert_eq!(requests, ["./tool --help", "GET /health"]);
    assert_eq!(VerifySettings::read("[caps]\nrun_usd = 1\n"), Ok(None));
    for (table, said) in [
        ("", "either a `command`, or a `start`"),
        (
            "command = ['a']\nstart = ['b']",
            "either a `command`, or a `start`",
        ),
        (
            "command = ['a']\npath = '/'",
            "`path` does not go with `command`",
        ),
        (
            "command = ['a']\nstatus = 200",
            "`status` does not go with `command`",
        ),
        (
            "command = ['a']\nready_ms = 1",
            "`ready_ms` does not go with `command`",
        ),
        ("start = ['a']\nexit = 0", "`exit` does not go with `start`"),
        ("start = ['a']\npath = 'x'", "`path` must begin with /"),
        ("start = ['a']\npath = '/ HTTP/1.0'", "hold no blanks"),
        (
            "start = ['a']\nstatus = 99",
            "`status` must be from 100 to 599",
        ),
        (
            "start = ['a']\nready_ms = 0",
            "`ready_ms` must be from 1 to 300000",
        ),
        ("command = []", "the command is empty"),
        ("comand = ['a']", "unknown field `comand`"),
    ] {
        let text = format!("[[verify.smoke]]\n{table}\n");
        let error = VerifySettings::read(&text).unwrap_err().to_string();
        assert!(
            error.starts_with("gavel.toml, ") && error.contains(said),
            "{error}"
        );
    }
    let alone = VerifySettings::read("[verify]\ninstall = [['make']]\n");
    assert!(alone.unwrap_err().to_string().contains("needs a `test`"));
}
