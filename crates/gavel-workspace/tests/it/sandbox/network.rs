use std::net::{TcpListener, UdpSocket};

use gavel_domain::{HostRefusal, HostRefused};
use gavel_rules::{Destination, NamedBy};
use gavel_workspace::{CommandError, Exit, Profile, Walls};

use crate::room::{Room, text};
use crate::web::Web;

#[tokio::test]
async fn services_of_the_machine_cannot_be_reached_by_tcp() {
    for mut room in Room::each().await {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = format!("import socket; socket.create_connection(('127.0.0.1', {port}), 5)");
        room.stopped(["python3", "-c", &script]).await;
        room.profile = Profile::Install;
        if room.walls == Walls::Landlock {
            // There is no network of its own to give it. That is refused until a person agrees.
            let outcome = room.run(["python3", "-c", &script]).await;
            assert_eq!(outcome.exit, Exit::Code(0), "{}", outcome.output.text);
            let spec = room.spec(["python3", "-c", &script]);
            let refused = room.unattended().run(&spec).await;
            assert!(
                matches!(refused, Err(CommandError::OpenNetwork { .. })),
                "{refused:?}"
            );
        } else {
            room.stopped(["python3", "-c", &script]).await;
        }
    }
}

/// Asks for a URL through whatever proxy the environment names.
const FETCH: &str = "import sys, urllib.request; \
    print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())";

#[tokio::test]
async fn an_install_step_reaches_the_hosts_that_a_person_named_and_no_other() {
    for mut room in Room::each().await {
        if room.walls == Walls::Landlock {
            continue;
        }
        let registry = Web::start(|_| Some(b"fetched".to_vec()));
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        other.set_nonblocking(true).unwrap();
        let port = registry.port();
        let closed = other.local_addr().unwrap().port();
        let named = Destination::new("127.0.0.1", port).unwrap();
        room.profile = Profile::Install;
        room.toolchains
            .registries
            .reach
            .allow(named, NamedBy::Person);
        let url = format!("http://127.0.0.1:{port}/");
        let outcome = room.run(["python3", "-c", FETCH, &url]).await;
        assert_eq!(outcome.output.text, "fetched\n", "{:?}", room.walls);
        let hosts: Vec<_> = outcome.hosts.iter().map(|host| host.port).collect();
        assert_eq!((hosts, outcome.refused), (vec![port], Vec::new()));
        let url = format!("http://127.0.0.1:{closed}/");
        let outcome = room.run(["python3", "-c", FETCH, &url]).await;
        assert_ne!(outcome.exit, Exit::Code(0), "{}", outcome.output.text);
        let refused = HostRefused {
            host: "127.0.0.1".to_owned(),
            port: closed,
            reason: HostRefusal::NotAllowed,
            times: 1,
        };
        assert_eq!(
            (outcome.hosts, outcome.refused),
            (Vec::new(), vec![refused])
        );
        assert!(other.accept().is_err(), "nobody came");
        // Commands of the project have no way out at all.
        room.profile = Profile::Run;
        let url = format!("http://127.0.0.1:{port}/");
        let outcome = room.run(["python3", "-c", FETCH, &url]).await;
        assert_ne!(outcome.exit, Exit::Code(0), "{}", outcome.output.text);
    }
}

#[tokio::test]
async fn what_an_install_step_wrote_in_its_own_folder_stays_as_it_is() {
    for mut room in Room::each().await {
        let fetched = room.policy().fetch;
        let file = fetched.join("wheel");
        let write = format!("open({:?}, 'w').write('x')", text(&file));
        room.profile = Profile::Install;
        let outcome = room.run(["python3", "-c", &write]).await;
        assert_eq!(outcome.exit, Exit::Code(0), "{}", outcome.output.text);
        room.profile = Profile::Run;
        let outcome = room.run(["cat", text(&file)]).await;
        assert_eq!(outcome.output.text, "x");
        room.stopped(["python3", "-c", &write]).await;
    }
}

#[tokio::test]
async fn datagrams_do_not_get_out() {
    for room in Room::each().await {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_nonblocking(true).unwrap();
        let port = socket.local_addr().unwrap().port();
        let script = format!(
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); \
             s.sendto(b'hello', ('127.0.0.1', {port}))"
        );
        let free = room.control(["python3", "-c", &script]).await;
        assert_eq!(free.exit, Exit::Code(0), "{}", free.output.text);
        let mut message = [0; 16];
        assert_eq!(socket.recv(&mut message).unwrap(), 5);
        room.run(["python3", "-c", &script]).await;
        assert!(socket.recv(&mut message).is_err(), "{:?}", room.walls);
    }
}

#[tokio::test]
async fn there_is_no_way_to_another_machine() {
    // An address for documentation: nobody answers, but without walls a route to it may exist.
    let script = "import socket, sys\n\
                  for family, host in ((2, '192.0.2.1'), (10, '2001:db8::1')):\n\
                  \x20   try:\n\
                  \x20       s = socket.socket(family, socket.SOCK_DGRAM)\n\
                  \x20       s.connect((host, 53))\n\
                  \x20   except OSError as e:\n\
                  \x20       print(e.errno in (1, 101, 97))\n\
                  \x20   else:\n\
                  \x20       print('a route')\n";
    for room in Room::each().await {
        let outcome = room.run(["python3", "-c", script]).await;
        assert_eq!(outcome.output.text, "True\nTrue\n", "{:?}", room.walls);
    }
}

#[tokio::test]
async fn unusual_socket_families_are_refused() {
    for room in Room::each().await {
        // Packet, vsock, bluetooth, crypto: each is a door into the kernel or the host.
        for family in [17, 40, 31, 38] {
            let script = format!(
                "import socket\ntry:\n    socket.socket({family}, socket.SOCK_RAW, 0)\n\
                 except PermissionError:\n    print('refused')\n"
            );
            let outcome = room.run(["python3", "-c", &script]).await;
            assert_eq!(
                outcome.output.text, "refused\n",
                "{family} {:?}",
                room.walls
            );
        }
    }
}

#[tokio::test]
async fn tests_may_talk_to_themselves_where_the_network_is_their_own() {
    let script = "import socket; s = socket.create_server(('127.0.0.1', 0)); \
                  socket.create_connection(s.getsockname(), 5)";
    for room in Room::each().await {
        let outcome = room.run(["python3", "-c", script]).await;
        let works = room.walls != Walls::Landlock;
        assert_eq!(
            outcome.exit == Exit::Code(0),
            works,
            "{}",
            outcome.output.text
        );
    }
}
