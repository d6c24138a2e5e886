use proptest::prelude::*;

use super::*;

async fn read_text(text: &str) -> Request {
    read(&mut text.as_bytes()).await.unwrap()
}

fn at(host: &str, port: u16) -> Destination {
    Destination::new(host, port).unwrap()
}

#[tokio::test]
async fn a_tunnel_names_its_host_and_port() {
    let seen = read_text("CONNECT pypi.org:443 HTTP/1.1\r\nHost: other\r\n\r\nabc").await;
    let to = at("pypi.org", 443);
    let rest = b"abc".to_vec();
    assert_eq!(seen, Request::Tunnel { to, rest });
}

#[tokio::test]
async fn a_plain_request_goes_on_to_the_host_of_its_target_and_no_other() {
    let seen = read_text(
        "GET http://Mirror.example:8081/a?b HTTP/1.1\r\nHost: evil.example\r\nAccept: */*\r\n\
         Proxy-Authorization: Basic eA==\r\nConnection: keep-alive\r\n\r\n",
    )
    .await;
    let lines = "Host: mirror.example:8081\r\nConnection: close\r\nAccept: */*\r\n\r\n";
    let expected = Request::Plain {
        to: at("mirror.example", 8081),
        is_fetch: true,
        direct: format!("GET /a?b HTTP/1.1\r\n{lines}").into_bytes(),
        forwarded: format!("GET http://mirror.example:8081/a?b HTTP/1.1\r\n{lines}").into_bytes(),
        rest: Vec::new(),
    };
    assert_eq!(seen, expected);
    let seen = read_text("PUT http://mirror.example/ HTTP/1.1\r\n\r\n").await;
    assert!(matches!(
        seen,
        Request::Plain {
            is_fetch: false,
            ..
        }
    ));
}

#[tokio::test]
async fn everything_else_is_unfit() {
    for text in [
        "",
        "GET",
        "GET / HTTP/1.1\r\n\r\n",
        "GET https://pypi.org/ HTTP/1.1\r\n\r\n",
        "GET ftp://pypi.org/ HTTP/1.1\r\n\r\n",
        "CONNECT pypi.org HTTP/1.1\r\n\r\n",
        "CONNECT pypi.org:x HTTP/1.1\r\n\r\n",
        "CONNECT a b:443 HTTP/1.1\r\n\r\n",
        "CONNECT pypi.org:443 HTTP/2\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nNo colon\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nA: b\nHost: c\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n A: folded\r\n\r\n",
    ] {
        assert_eq!(read_text(text).await, Request::Unfit, "{text:?}");
    }
    let long = format!("GET http://a/{} HTTP/1.1\r\n\r\n", "a".repeat(64 * 1024));
    assert_eq!(read_text(&long).await, Request::Unfit);
}

proptest! {
    #[test]
    fn no_head_makes_two_requests(target in "[ -~]{0,40}", header in "[ -~\r\n]{0,40}") {
        let text = format!("GET http://{target} HTTP/1.1\r\n{header}\r\n\r\n");
        let at = text.find("\r\n\r\n").unwrap_or_default() + 4;
        let (head, _) = text.split_at(at);
        if let Some(Request::Plain { direct, .. }) = parse(head.as_bytes(), Vec::new()) {
            let ends = direct.windows(4).filter(|four| four == b"\r\n\r\n").count();
            prop_assert_eq!(ends, 1);
        }
    }
}
