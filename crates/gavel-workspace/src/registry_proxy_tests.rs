use std::net::SocketAddr;

use gavel_domain::{HostRefusal, HostRefused, HostTraffic};
use gavel_rules::{Destination, NamedBy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::server_name::tests::hello_for;
use super::*;
use crate::Upstream;

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// A host that answers every connection once and keeps the first part of what it was sent.
struct Host {
    address: SocketAddr,
    seen: JoinSet<Vec<String>>,
}

impl Host {
    async fn start(connections: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut seen = Vec::new();
            for _ in 0..connections {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut text = vec![0; 1024];
                let count = stream.read(&mut text).await.unwrap();
                text.truncate(count);
                seen.push(String::from_utf8(text).unwrap());
                stream.write_all(ANSWER.as_bytes()).await.unwrap();
            }
            seen
        });
        Self {
            address,
            seen: serving,
        }
    }

    /// What it was sent, once it is done.
    async fn seen(mut self) -> Vec<String> {
        self.seen.join_next().await.unwrap().unwrap()
    }

    fn destination(&self) -> Destination {
        Destination::new("127.0.0.1", self.address.port()).unwrap()
    }
}

struct Proxy {
    address: SocketAddr,
    counts: Arc<Counts>,
    _serving: JoinSet<()>,
}

fn start(registries: Registries) -> Proxy {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let counts = Arc::<Counts>::default();
    let mut serving = JoinSet::new();
    let own = Arc::clone(&counts);
    serving.spawn(async move { serve(listener, &registries, &own).await.unwrap() });
    Proxy {
        address,
        counts,
        _serving: serving,
    }
}

fn allowing(destination: &Destination, by: NamedBy) -> Registries {
    let mut registries = Registries::default();
    registries.reach.allow(destination.clone(), by);
    registries
}

/// Asks, and says nothing more.
async fn ask_and_end(proxy: &Proxy, request: &str) -> String {
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn ask(proxy: &Proxy, text: &str) -> String {
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

fn refused(host: &Destination, reason: HostRefusal, times: u32) -> HostRefused {
    HostRefused {
        host: host.host().to_owned(),
        port: host.port(),
        reason,
        times,
    }
}

#[tokio::test]
async fn a_named_host_is_reached_and_counted() {
    let host = Host::start(2).await;
    let to = host.destination();
    let proxy = start(allowing(&to, NamedBy::Person));
    let port = to.port();
    let plain = format!("GET http://127.0.0.1:{port}/a HTTP/1.1\r\nAccept: x\r\n\r\n");
    assert_eq!(ask(&proxy, &plain).await, ANSWER);
    let tunnel = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nhello");
    let answer = ask(&proxy, &tunnel).await;
    assert_eq!(
        answer,
        format!("HTTP/1.1 200 Connection established\r\n\r\n{ANSWER}")
    );
    let seen = host.seen().await;
    let head = format!(
        "GET /a HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nAccept: x\r\n\r\n"
    );
    assert_eq!(seen, [head.clone(), "hello".to_owned()]);
    let expected = HostTraffic {
        host: "127.0.0.1".to_owned(),
        port,
        sent: head.len() as u64 + 5,
        received: 2 * ANSWER.len() as u64,
    };
    assert_eq!(proxy.counts.hosts(), [expected]);
    assert_eq!(proxy.counts.refused(), []);
}

#[tokio::test]
async fn a_host_that_is_allowed_and_does_not_answer_is_named() {
    // Nobody listens there any more.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = Destination::new("127.0.0.1", closed.local_addr().unwrap().port()).unwrap();
    drop(closed);
    let proxy = start(allowing(&to, NamedBy::Person));
    let answer = ask(&proxy, &format!("CONNECT {to} HTTP/1.1\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert_eq!(proxy.counts.hosts(), []);
    let named = refused(&to, HostRefusal::Unreachable, 1);
    assert_eq!(proxy.counts.refused(), [named]);
}

#[tokio::test]
async fn other_hosts_see_nothing_and_are_named() {
    let allowed = Host::start(0).await.destination();
    let host = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = Destination::new("127.0.0.1", host.local_addr().unwrap().port()).unwrap();
    let proxy = start(allowing(&allowed, NamedBy::Person));
    for _ in 0..2 {
        let answer = ask(
            &proxy,
            &format!("CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n", other.port()),
        )
        .await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }
    let answer = ask(
        &proxy,
        &format!("GET http://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", other.port()),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    let answer = ask(
        &proxy,
        &format!("POST http://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", allowed.port()),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(
        ask(&proxy, "nonsense\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 400 ")
    );
    let mut expected = vec![
        refused(&other, HostRefusal::NotAllowed, 3),
        refused(&allowed, HostRefusal::NotAFetch, 1),
    ];
    expected.sort_by_key(|row| row.port);
    assert_eq!(proxy.counts.refused(), expected);
    assert_eq!(proxy.counts.hosts(), []);
    let host = host.into_std().unwrap();
    assert!(host.accept().is_err(), "nobody came");
}

#[tokio::test]
async fn a_default_that_leads_to_this_machine_is_refused() {
    let host = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = host.local_addr().unwrap().port();
    let to = Destination::new("localhost", port).unwrap();
    let proxy = start(allowing(&to, NamedBy::Default));
    let answer = ask(
        &proxy,
        &format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n"),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert_eq!(
        proxy.counts.refused(),
        [refused(&to, HostRefusal::PrivateAddress, 1)]
    );
    assert!(host.into_std().unwrap().accept().is_err(), "nobody came");
}

#[tokio::test]
async fn a_proxy_of_the_persons_own_is_used_but_for_its_exceptions() {
    let upstream = Host::start(2).await;
    let registry = Destination::new("registry.example", 8443).unwrap();
    let plain = Destination::new("registry.example", 80).unwrap();
    let mut registries = allowing(&registry, NamedBy::Default);
    registries.reach.allow(plain, NamedBy::Default);
    registries.upstream = Some(Upstream {
        proxy: upstream.destination(),
        except: vec![".internal.example".to_owned()],
    });
    let proxy = start(registries);
    let answer = ask(&proxy, "GET http://registry.example/a HTTP/1.1\r\n\r\n").await;
    assert_eq!(answer, ANSWER);
    let answer = ask_and_end(&proxy, "CONNECT registry.example:8443 HTTP/1.1\r\n\r\n").await;
    assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\nok");
    let answer = ask(&proxy, "CONNECT other.example:443 HTTP/1.1\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    let place = "registry.example:8443";
    let expected = [
        "GET http://registry.example:80/a HTTP/1.1\r\nHost: registry.example:80\r\nConnection: close\r\n\r\n".to_owned(),
        format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n"),
    ];
    assert_eq!(upstream.seen().await, expected);
}

#[test]
fn exceptions_of_a_proxy_are_whole_names_and_domains() {
    let upstream = Upstream {
        proxy: Destination::new("proxy.example", 8080).unwrap(),
        except: vec!["localhost".to_owned(), ".corp.example".to_owned()],
    };
    let table = [
        ("localhost", false),
        ("a.corp.example", false),
        ("corp.example", false),
        ("evilcorp.example", true),
        ("pypi.org", true),
    ];
    for (host, through) in table {
        assert_eq!(upstream.serves(host), through, "{host}");
    }
}

/// What a host that speaks TLS is sent through the proxy, when the tunnel is for `localhost` and what is
/// in it for this name.
async fn sent_for(name: &str) -> (Vec<u8>, Vec<HostRefused>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let to = Destination::new("localhost", port).unwrap();
    let proxy = start(allowing(&to, NamedBy::Person));
    let mut client = TcpStream::connect(proxy.address).await.unwrap();
    let request = format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    client.write_all(&hello_for(name)).await.unwrap();
    client.shutdown().await.unwrap();
    let (mut host, _) = listener.accept().await.unwrap();
    let mut seen = Vec::new();
    host.read_to_end(&mut seen).await.unwrap();
    drop(host);
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.unwrap();
    (seen, proxy.counts.refused())
}

#[tokio::test]
async fn a_tunnel_whose_tls_is_for_another_host_is_cut_and_that_host_is_named() {
    let (seen, refused) = sent_for("localhost").await;
    assert_eq!((seen, refused), (hello_for("localhost"), Vec::new()));
    let (seen, refused) = sent_for("other.example").await;
    assert_eq!(seen, Vec::<u8>::new());
    let names: Vec<&str> = refused.iter().map(|row| row.host.as_str()).collect();
    assert_eq!(names, ["other.example"]);
}
