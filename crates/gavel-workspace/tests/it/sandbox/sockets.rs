use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use gavel_workspace::{Exit, Profile, Walls};

use crate::room::{Room, text};

/// Connects to the address given as a Python expression.
fn connect(address: &str) -> String {
    format!("import socket; socket.socket(socket.AF_UNIX).connect({address})")
}

#[tokio::test]
async fn sockets_of_agents_cannot_be_reached_by_path() {
    for mut room in Room::each().await {
        let agent = room.outside().join("agent.sock");
        let _listener = UnixListener::bind(&agent).unwrap();
        for profile in [Profile::Run, Profile::Install] {
            room.profile = profile;
            let script = connect(&format!("{:?}", text(&agent)));
            room.stopped(["python3", "-c", &script]).await;
        }
    }
}

#[tokio::test]
async fn sockets_cannot_be_reached_by_abstract_name() {
    for mut room in Room::each().await {
        let name = format!("gavel-{}-{:?}", std::process::id(), room.walls);
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let _listener = UnixListener::bind_addr(&address).unwrap();
        for profile in [Profile::Run, Profile::Install] {
            room.profile = profile;
            let script = connect(&format!("'\\0{name}'"));
            room.stopped(["python3", "-c", &script]).await;
        }
    }
}

#[tokio::test]
async fn a_pair_of_datagram_sockets_cannot_be_redirected() {
    for mut room in Room::each().await {
        let log = room.outside().join("log.sock");
        let socket = UnixDatagram::bind(&log).unwrap();
        socket.set_nonblocking(true).unwrap();
        for profile in [Profile::Run, Profile::Install] {
            room.profile = profile;
            let script = format!(
                "import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); \
                 a.sendto(b'hello', {:?})",
                text(&log)
            );
            room.stopped(["python3", "-c", &script]).await;
            let mut message = [0; 16];
            assert_eq!(socket.recv(&mut message).unwrap(), 5, "the control's");
            assert!(socket.recv(&mut message).is_err());
        }
    }
}

#[tokio::test]
async fn pairs_work_and_own_sockets_where_no_other_exists() {
    for room in Room::each().await {
        let pair = "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))";
        let outcome = room.run(["python3", "-c", pair]).await;
        assert_eq!(outcome.output.text, "b'x'\n");
        let own = "import socket; s = socket.socket(socket.AF_UNIX); s.bind('s'); s.listen(); \
                   socket.socket(socket.AF_UNIX).connect('s')";
        let outcome = room.run(["python3", "-c", own]).await;
        let works = room.walls != Walls::Landlock;
        assert_eq!(
            outcome.exit == Exit::Code(0),
            works,
            "{}",
            outcome.output.text
        );
    }
}
