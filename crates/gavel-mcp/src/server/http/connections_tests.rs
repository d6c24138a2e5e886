use std::time::Duration;

use super::*;

const LIMITS: HttpLimits = HttpLimits {
    connections: 4,
    per_remote_address: 2,
    grace: Duration::from_secs(1),
    ..HttpLimits::DEFAULT
};

const FAR: Peer = Peer::Remote(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));
const FARTHER: Peer = Peer::Remote(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2)));

/// Who, what, and since which second.
type Row = (Peer, Phase, u64);

fn rows(of: &[Row], start: Instant) -> BTreeMap<u64, Held> {
    let held = of.iter().map(|(peer, phase, seconds)| Held {
        peer: *peer,
        phase: *phase,
        since: start + Duration::from_secs(*seconds),
        end: CancellationToken::new(),
    });
    (0..).zip(held).collect()
}

#[tokio::test]
async fn who_answers_stays_and_who_waits_longest_goes() {
    use Peer::Local;
    use Phase::{Answering, Streaming, Waiting};
    let start = Instant::now();
    let now = start + Duration::from_secs(10);
    let cases: &[(&[Row], Peer, Entry)] = &[
        (&[], Local, Entry::Free),
        (&[(Local, Waiting, 0); 3], Local, Entry::Free),
        // The oldest that waits, not the oldest of all.
        (
            &[
                (Local, Answering, 0),
                (Local, Streaming, 1),
                (Local, Waiting, 6),
                (Local, Waiting, 5),
            ],
            Local,
            Entry::InPlaceOf(3),
        ),
        // A stream goes when nothing waits.
        (
            &[
                (Local, Answering, 0),
                (Local, Streaming, 3),
                (Local, Streaming, 2),
                (Local, Answering, 0),
            ],
            Local,
            Entry::InPlaceOf(2),
        ),
        // Whoever came just now has time to send.
        (
            &[(Local, Waiting, 10); 4],
            Local,
            Entry::Later(now + LIMITS.grace),
        ),
        (
            &[(Local, Answering, 0); 4],
            Local,
            Entry::Later(now + LIMITS.grace),
        ),
        // The address that holds most gives first.
        (
            &[
                (FAR, Waiting, 0),
                (Local, Waiting, 3),
                (Local, Waiting, 2),
                (Local, Answering, 0),
            ],
            FARTHER,
            Entry::InPlaceOf(2),
        ),
        // One address has its share, and makes room out of its own.
        (
            &[(FAR, Waiting, 1), (FAR, Answering, 0)],
            FAR,
            Entry::InPlaceOf(0),
        ),
        (
            &[(FAR, Answering, 0), (FAR, Answering, 0)],
            FAR,
            Entry::Refused,
        ),
        (
            &[(FAR, Answering, 0), (FAR, Answering, 0)],
            FARTHER,
            Entry::Free,
        ),
    ];
    for (held, newcomer, expected) in cases {
        let rows = rows(held, start);
        let found = entry(&rows, *newcomer, now, &LIMITS);
        assert_eq!(found, *expected, "{held:?} {newcomer:?}");
    }
}

#[test]
fn one_client_is_one_peer() {
    let peer = |address: &str| Peer::from(address.parse::<IpAddr>().unwrap());
    assert_eq!(peer("127.0.0.1"), Peer::Local);
    assert_eq!(peer("127.9.9.9"), Peer::Local);
    assert_eq!(peer("::1"), Peer::Local);
    assert_eq!(peer("::ffff:127.0.0.1"), Peer::Local);
    assert_eq!(peer("2001:db8::1"), peer("2001:db8::ffff:1"));
    assert_ne!(peer("2001:db8::1"), peer("2001:db8:0:1::1"));
    assert_ne!(peer("192.0.2.1"), peer("192.0.2.2"));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_goes_is_told_and_its_entry_is_the_newcomers() {
    let connections = Connections::new(HttpLimits {
        connections: 1,
        ..LIMITS
    });
    let first = connections.enter(Peer::Local).unwrap();
    let later = connections.enter(Peer::Local).unwrap_err();
    assert_eq!(later, NotNow::Later(Instant::now() + LIMITS.grace));
    tokio::time::advance(LIMITS.grace).await;
    let second = connections.enter(Peer::Local).unwrap();
    first.ended().await;
    drop(first);
    let busy = second.during(Phase::Answering);
    tokio::time::advance(LIMITS.grace * 10).await;
    assert!(connections.enter(Peer::Local).is_err());
    drop(busy);
    tokio::time::advance(LIMITS.grace).await;
    assert!(connections.enter(Peer::Local).is_ok());
}
