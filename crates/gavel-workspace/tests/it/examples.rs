//! Examples executed for real: programs in the sandbox, seen from outside, in a folder of their own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot be set up must stop"
)]

use std::fs;
use std::path::Path;

use gavel_domain::Example;
use gavel_rules::examples::{ExampleFolders, StepOrder};
use gavel_workspace::{
    Argv, CommandError, ExampleError, ExampleExecution, ExamplePlan, ExampleSeen, Program,
    ProgramFound, Walls, build_program, execute_example,
};
use tokio_util::sync::CancellationToken;

use crate::room::{Room, rust_toolchain};

fn plan(room: &Room) -> ExamplePlan {
    ExamplePlan {
        policy: room.policy(),
        lock: room.lock(),
        cancel: CancellationToken::new(),
    }
}

fn execution(example: &Example, number: u32) -> ExampleExecution<'_> {
    ExampleExecution {
        example,
        order: StepOrder::written(example),
        folders: ExampleFolders::draw(11, number),
    }
}

fn write(room: &Room, name: &str, text: &str) {
    let path = room.tree().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

async fn tried(room: &Room, script: &str, example: &str) -> Result<ExampleSeen, ExampleError> {
    write(room, "tool.py", script);
    let file = room.tree().join("tool.py").display().to_string();
    let program = Program {
        argv: Argv::new(["/usr/bin/python3", &file]).unwrap(),
    };
    let commands = room.commands(room.walls);
    let example = example.parse().unwrap();
    let execution = execution(&example, 1);
    execute_example(&commands, &plan(room), &program, &execution).await
}

async fn seen(room: &Room, script: &str, example: &str) -> ExampleSeen {
    tried(room, script, example).await.unwrap()
}

/// Adds lines to a file below the home, and lists them.
const NOTES: &str = "\
import os, sys
file = os.path.join(os.environ['XDG_DATA_HOME'], 'notes.txt')
words = sys.argv[1:]
if words[:1] == ['add']:
    text = words[1] if len(words) > 1 else sys.stdin.read()
    open(file, 'a').write(text + '\\n')
    print('noted', file=sys.stderr)
elif words == ['list']:
    print(open(file).read() if os.path.exists(file) else 'nothing')
elif words[:1] == ['export']:
    os.rename(file, words[1])
else:
    print('what?', file=sys.stderr)
    sys.exit(2)
";

#[tokio::test]
async fn what_is_run_is_seen_from_outside() {
    let example = "$ list\nhas nothing\n$ add Amber\nerror noted\nlacks noted\n\
        $ add\nstdin \"Birch\\nand more\"\n$ list\nhas Amber \"Birch\\nand more\"\nlacks nothing\n\
        $ export out.txt\nholds out.txt \"Amber\\nBirch\"\ngone ~/.local/share/notes.txt\n\
        $ burn\nexit 2\nerror what\n";
    for room in Room::each().await {
        let held = seen(&room, NOTES, example).await;
        assert_eq!(held.problems, Vec::<String>::new(), "{}", held.transcript);
        assert!(held.held);
        assert!(
            held.transcript.contains("$ burn\n(exit 2)\n"),
            "{}",
            held.transcript
        );
        assert!(held.transcript.contains("! what?\n"), "{}", held.transcript);

        let wrong = "$ add Amber\nhas noted\n$ list\nhas Birch\nexit 1\n$ export x\ngone x";
        let failed = seen(&room, NOTES, wrong).await;
        assert!(!failed.held);
        assert_eq!(
            failed.problems,
            [
                "line 1: `$ add Amber`: standard output does not hold `noted`",
                "line 3: `$ list`: it ended with exit code 0, and 1 was expected",
                "line 3: `$ list`: standard output does not hold `Birch`",
                "line 6: `$ export x`: `x` is still there",
            ]
        );
    }
}

#[tokio::test]
async fn each_example_has_a_folder_of_its_own_and_the_files_that_it_names() {
    let script = "\
import os, sys
home = os.environ['HOME']
print(os.listdir('.'), open('in/a.txt').read(), open(home + '/.toolrc').read())
print(sorted(os.environ))
";
    let example = "file in/a.txt \"one\\n\"\nfile ~/.toolrc two\n$\nhas ['in'] one two\n\
        lacks CI CARGO npm_ PYTEST RUST PIP_\n$\nhas ['in']";
    for room in Room::each().await {
        for _ in 0..2 {
            let held = seen(&room, script, example).await;
            assert_eq!(held.problems, Vec::<String>::new(), "{}", held.transcript);
        }
        // Nothing of it stays.
        assert_eq!(fs::read_dir(room.temp()).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn a_program_can_write_nothing_but_its_folder_and_reach_nobody() {
    for room in Room::each().await {
        let places = [room.tree(), room.cache(), room.temp(), room.outside()];
        let places = places.map(|place| place.display().to_string());
        let script = format!(
            "import socket\nfor place in {places:?}:\n    try:\n        open(place + '/x', 'w')\n        \
             print('wrote', place)\n    except OSError:\n        print('refused')\n\
             try:\n    socket.create_connection(('192.0.2.1', 80), 3)\n    print('reached')\n\
             except OSError:\n    print('alone')\n"
        );
        let held = seen(&room, &script, "$\nhas refused alone\nlacks wrote reached").await;
        assert_eq!(held.problems, Vec::<String>::new(), "{}", held.transcript);
    }
}

/// A program that works only where it was built, or in folders that lie as they did last time.
#[tokio::test]
async fn each_execution_is_at_another_place() {
    let script = "\
import os
home, work = os.environ['HOME'], os.getcwd()
print('work', work, 'home', home, 'temp', os.environ['TMPDIR'], 'tree', os.path.dirname(__file__))
print('inside' if work.startswith(home + '/') else 'beside')
open('written', 'w').write(open(__file__).readline())
";
    let example: Example = "$\nhas work\nholds written \"import os\"".parse().unwrap();
    for room in Room::each().await {
        write(&room, "tool.py", script);
        let file = room.tree().join("tool.py").display().to_string();
        let program = Program {
            argv: Argv::new(["/usr/bin/python3", &file]).unwrap(),
        };
        let commands = room.commands(room.walls);
        let mut transcripts = Vec::new();
        for number in [0, 1, 0] {
            let execution = execution(&example, number);
            let seen = execute_example(&commands, &plan(&room), &program, &execution).await;
            let seen = seen.unwrap();
            assert_eq!(seen.problems, Vec::<String>::new(), "{}", seen.transcript);
            assert_eq!(seen.changed_nothing, [false]);
            transcripts.push(seen.transcript);
        }
        let [first, second, third] = transcripts.try_into().unwrap();
        assert_ne!(first.contains("inside"), second.contains("inside"));
        if room.walls == Walls::Landlock {
            continue;
        }
        // The same seed gives the same places, and none of them tells where they really are.
        assert_eq!(first, third);
        let real = room.tree().parent().unwrap().parent().unwrap().to_owned();
        let real = real.parent().unwrap().display().to_string();
        assert!(!first.contains(&real), "{first}");
    }
}

/// What is expected is nowhere in the sandbox, and neither is what is done next.
#[tokio::test]
async fn a_program_cannot_read_what_is_expected_of_it() {
    let script = "\
import glob, os
names = [name for pattern in ['cmdline', 'environ', 'fd/*', 'task/*/cmdline', 'mem', 'cwd/*', 'root/*']
         for name in glob.glob('/proc/[0-9]*/' + pattern) if name.split('/')[2] != str(os.getpid())]
for name in names:
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        data = os.read(handle, 1 << 20)
    except OSError:
        continue
    for word in [b'exp' + b'ected-text', b'next' + b'-step-words']:
        if word in data:
            print('found', word, 'in', name)
print('searched')
";
    let example = "$ search\nhas searched\nlacks found expected-text\n$ next-step-words\nhas searched\n\
        lacks expected-text";
    for room in Room::each().await {
        let held = seen(&room, script, example).await;
        // The second start has these words as arguments of its own.
        let told: Vec<&String> = held
            .problems
            .iter()
            .filter(|one| one.starts_with("line 1"))
            .collect();
        assert_eq!(told, Vec::<&String>::new(), "{}", held.transcript);
        assert!(
            !held.transcript.contains("expected-text'"),
            "{}",
            held.transcript
        );
    }
}

/// A program that keeps its data in a process instead of a file does not keep it.
#[tokio::test]
async fn nothing_lives_from_one_step_to_the_next() {
    let script = "\
import os, sys, time, glob
if sys.argv[1:] == ['add']:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open('pid', 'w').write(str(os.getpid()))
            time.sleep(600)
    while not os.path.exists('pid'):
        time.sleep(0.01)
else:
    alive = [name for name in glob.glob('/proc/[0-9]*/cmdline')
             if b'tool.py\\0add' in open(name, 'rb').read()]
    print('alive', len(alive))
";
    for room in Room::each().await {
        let held = seen(
            &room,
            script,
            "$ add\nholds pid \"\"\n$ look\nhas \"alive 0\"",
        )
        .await;
        assert_eq!(held.problems, Vec::<String>::new(), "{}", held.transcript);
    }
}

#[tokio::test]
async fn who_ends_the_one_that_looks_has_kept_nothing() {
    let script =
        "import os, signal\nprint('x', flush=True)\nos.kill(os.getppid(), signal.SIGKILL)\n";
    for room in Room::each().await {
        let failed = seen(&room, script, "$\nhas x").await;
        assert!(!failed.held, "{failed:?}");
        let said = failed.problems.join("\n");
        assert!(said.contains("it was not reached"), "{said}");
        assert!(said.contains("it ended whoever executes it"), "{said}");
    }
}

/// Keeps items in memory, and writes each change to a file.
const SERVER: &str = "\
import http.server, json, os, sys
items = []
class Handler(http.server.BaseHTTPRequestHandler):
    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def read(self):
        return self.rfile.read(int(self.headers.get('Content-Length', 0))).decode()
    def do_GET(self):
        self.reply(200, {'items': items, 'mode': sys.argv[1:]})
    def do_POST(self):
        if self.headers['Content-Type'] != 'application/json':
            return self.reply(415, {'error': self.read()})
        items.append(json.loads(self.read())['title'])
        open('log.txt', 'a').write(items[-1] + '\\n')
        self.reply(201, {'id': len(items)})
    def do_DELETE(self):
        items.clear()
        os.remove('log.txt')
        self.reply(200, {})
http.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
";

#[tokio::test]
async fn a_server_is_asked_one_thing_after_another() {
    let example = "server --fast\nPOST /items {\"title\": \"Amber\"}\nstatus 201\njson /id 1\n\
        holds log.txt Amber\nPOST /items \"Amber\"\nstatus 415\nhas Amber\n\
        GET /items?q=1\njson /items/0 \"Amber\"\njson /mode [\"--fast\"]\nhas Amber\nlacks Birch\n\
        DELETE /items\ngone log.txt\nGET /items\njson /items []\n";
    for room in Room::each().await {
        let seen = tried(&room, SERVER, example).await;
        if room.walls == Walls::Landlock {
            let refused = matches!(
                seen,
                Err(ExampleError::Command(CommandError::NoLoopback { .. }))
            );
            assert!(refused, "{seen:?}");
            continue;
        }
        let held = seen.unwrap();
        assert_eq!(held.problems, Vec::<String>::new(), "{}", held.transcript);
        assert!(
            held.transcript.contains("GET /items?q=1\n(status 200)\n"),
            "{}",
            held.transcript
        );

        let wrong = "GET /items\nstatus 404\njson /items/0 1\nPOST /x {\"title\": 5}";
        let failed = self::seen(&room, SERVER, wrong).await;
        let said = failed.problems.join("\n");
        assert!(
            said.contains("it answered 200, and 404 was expected"),
            "{said}"
        );
        assert!(said.contains("holds nothing at `/items/0`"), "{said}");
        assert!(
            said.contains("nobody answered in time") || said.contains("answered 201"),
            "{said}"
        );

        let dies = self::seen(&room, "import sys; sys.exit(7)", "GET /\nGET /").await;
        assert!(
            dies.problems[0].contains("the server had ended with exit code 7"),
            "{dies:?}"
        );
    }
}

async fn found(room: &Room) -> ProgramFound {
    let commands = room.commands(room.walls);
    build_program(&commands, &plan(room)).await.unwrap()
}

#[track_caller]
fn program(found: ProgramFound) -> Program {
    match found {
        ProgramFound::Found(program) => program,
        ProgramFound::None { .. } | ProgramFound::Several(_) => panic!("{found:?}"),
    }
}

async fn holds(room: &Room, program: &Program, example: &str) {
    let commands = room.commands(room.walls);
    let example = example.parse().unwrap();
    let execution = execution(&example, 2);
    let seen = execute_example(&commands, &plan(room), program, &execution).await;
    let seen = seen.unwrap();
    assert_eq!(seen.problems, Vec::<String>::new(), "{}", seen.transcript);
}

#[tokio::test]
async fn a_rust_program_is_built_and_executed() {
    for mut room in Room::each().await {
        room.toolchains = rust_toolchain();
        let above = |folder: &Path| folder.join(".cargo/config.toml");
        let files = room.tree().ancestors().map(above).collect::<Vec<_>>();
        room.toolchains.folders.extend(files);
        room.limits.wall_ms = 120_000;
        write(
            &room,
            "Cargo.toml",
            "[workspace]\n[package]\nname = \"demo\"\nedition = \"2021\"\n",
        );
        write(&room, "src/lib.rs", "");
        assert!(matches!(found(&room).await, ProgramFound::None { .. }));
        let main =
            "fn main() { println!(\"{:?}\", std::env::args().skip(1).collect::<Vec<_>>()); }\n";
        write(&room, "src/main.rs", main);
        let program = program(found(&room).await);
        assert!(program.argv.program().ends_with("/target/debug/demo"));
        holds(
            &room,
            &program,
            "$ a \"b c\"\nhas \"[\\\"a\\\", \\\"b c\\\"]\"",
        )
        .await;
        write(&room, "src/bin/x.rs", main);
        write(&room, "src/bin/y.rs", main);
        fs::remove_file(room.tree().join("src/main.rs")).unwrap();
        let several = ProgramFound::Several(vec!["x".to_owned(), "y".to_owned()]);
        assert_eq!(found(&room).await, several);
        write(&room, "src/main.rs", "fn main() { nothing }");
        let ProgramFound::None { why } = found(&room).await else {
            continue;
        };
        assert!(why.contains("`cargo build` failed"), "{why}");
    }
}

#[tokio::test]
async fn programs_of_node_and_python_are_found() {
    let print = "print('hello', __import__('sys').argv[1:])\n";
    for room in Room::each().await {
        assert!(matches!(found(&room).await, ProgramFound::None { .. }));
        write(&room, "package.json", "{\"bin\": {\"hi\": \"./cli.js\"}}");
        let ProgramFound::None { why } = found(&room).await else {
            panic!("there is no cli.js");
        };
        assert!(
            why.contains("`./cli.js`, which package.json names, is not there"),
            "{why}"
        );
        write(
            &room,
            "cli.js",
            "console.log('hello', process.argv.slice(2))",
        );
        holds(
            &room,
            &program(found(&room).await),
            "$ a\nhas \"hello [ 'a' ]\"",
        )
        .await;
        fs::remove_file(room.tree().join("package.json")).unwrap();

        write(&room, "main.py", print);
        holds(
            &room,
            &program(found(&room).await),
            "$ a\nhas \"hello ['a']\"",
        )
        .await;
        write(&room, "pack/__init__.py", "");
        write(&room, "pack/words.py", "hello = 'hello'");
        write(
            &room,
            "pack/__main__.py",
            "import sys\nfrom .words import hello\nprint(hello, sys.argv[1:])\n",
        );
        holds(
            &room,
            &program(found(&room).await),
            "$ a\nhas \"hello ['a']\"",
        )
        .await;
        write(
            &room,
            "pyproject.toml",
            "[project]\nname = 'p'\n[project.scripts]\np = 'pack.cli:run'\n",
        );
        write(
            &room,
            "pack/cli.py",
            "import sys\ndef run():\n    print(sys.argv)\n    return 3\n",
        );
        holds(
            &room,
            &program(found(&room).await),
            "$ a\nexit 3\nhas \"['p', 'a']\"",
        )
        .await;

        // A person's word comes before everything else.
        write(
            &room,
            "gavel.toml",
            "[verify]\nprogram = ['python3', 'main.py', 'x']\n",
        );
        holds(
            &room,
            &program(found(&room).await),
            "$ a\nhas \"hello ['x', 'a']\"",
        )
        .await;
        write(&room, "gavel.toml", "[verify]\nprogram = ['./gone.sh']\n");
        let ProgramFound::None { why } = found(&room).await else {
            panic!("there is no gone.sh");
        };
        assert!(why.contains("which gavel.toml names"), "{why}");
    }
}
