use proptest::prelude::*;

use super::*;

fn at(host: &str, port: u16) -> Destination {
    Destination::new(host, port).unwrap()
}

#[test]
fn urls_name_a_host_and_a_port_and_no_password() {
    let table = [
        (
            "https://registry.npmjs.org/",
            Some(("registry.npmjs.org", 443)),
        ),
        ("http://127.0.0.1:4873/x", Some(("127.0.0.1", 4873))),
        (
            "sparse+https://Index.Crates.io./",
            Some(("index.crates.io", 443)),
        ),
        (
            "https://me:secret@pypi.corp.example/simple",
            Some(("pypi.corp.example", 443)),
        ),
        (
            "https://allowed.example@evil.example/",
            Some(("evil.example", 443)),
        ),
        (
            "https://evil.example\\@allowed.example/",
            Some(("evil.example", 443)),
        ),
        ("http://[::1]:8080/", Some(("::1", 8080))),
        ("http://[::1]/", Some(("::1", 80))),
        ("https://host:0/", None),
        ("https://host:99999/", None),
        ("file:///etc/passwd", None),
        ("git+ssh://git@github.com/a/b", None),
        ("https:///x", None),
        ("registry.npmjs.org", None),
        ("https://a b/", None),
        ("https://[evil.example]/", None),
    ];
    for (url, expected) in table {
        let expected = expected.map(|(host, port)| at(host, port));
        assert_eq!(Destination::of_url(url), expected, "{url}");
    }
}

#[test]
fn a_host_is_allowed_by_its_whole_name_and_port_alone() {
    let mut reach = InstallReach::default();
    reach.allow(at("registry.npmjs.org", 443), NamedBy::Default);
    reach.allow(at("mirror.corp.example", 8081), NamedBy::Person);
    let table = [
        ("registry.npmjs.org", 443, Ok(NamedBy::Default)),
        ("REGISTRY.npmjs.org.", 443, Ok(NamedBy::Default)),
        ("mirror.corp.example", 8081, Ok(NamedBy::Person)),
        ("registry.npmjs.org", 80, Err(HostRefusal::NotAllowed)),
        ("npmjs.org", 443, Err(HostRefusal::NotAllowed)),
        ("evil.registry.npmjs.org", 443, Err(HostRefusal::NotAllowed)),
        (
            "registry.npmjs.org.evil.example",
            443,
            Err(HostRefusal::NotAllowed),
        ),
        ("127.0.0.1", 443, Err(HostRefusal::NotAllowed)),
    ];
    for (host, port, expected) in table {
        assert_eq!(reach.decide(&at(host, port)), expected, "{host}:{port}");
    }
    // Named twice, the person's word counts, in either order.
    reach.allow(at("registry.npmjs.org", 443), NamedBy::Person);
    reach.allow(at("registry.npmjs.org", 443), NamedBy::Default);
    assert_eq!(
        reach.decide(&at("registry.npmjs.org", 443)),
        Ok(NamedBy::Person)
    );
}

#[test]
fn a_public_name_does_not_lead_home() {
    let private = [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "::7f00:1",
    ];
    for address in private {
        let address = address.parse().unwrap();
        let refused = Err(HostRefusal::PrivateAddress);
        assert_eq!(may_dial(NamedBy::Default, address), refused, "{address}");
        assert_eq!(may_dial(NamedBy::Answer, address), refused, "{address}");
        assert_eq!(may_dial(NamedBy::Person, address), Ok(()), "{address}");
    }
    let public = [
        "1.1.1.1",
        "104.16.0.1",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1",
        "::ffff:8.8.8.8",
    ];
    for address in public {
        let address = address.parse().unwrap();
        assert_eq!(may_dial(NamedBy::Default, address), Ok(()), "{address}");
        assert_eq!(may_dial(NamedBy::Answer, address), Ok(()), "{address}");
    }
}

#[test]
fn an_answer_allows_the_address_that_it_named_and_no_place_that_a_name_leads_to() {
    let mut reach = InstallReach::default();
    reach.allow_by_answer(at("git.example", 443));
    reach.allow_by_answer(at("127.0.0.1", 8080));
    assert_eq!(reach.decide(&at("git.example", 443)), Ok(NamedBy::Answer));
    assert_eq!(reach.decide(&at("127.0.0.1", 8080)), Ok(NamedBy::Person));
    // The person's own word counts over an answer.
    reach.allow(at("git.example", 443), NamedBy::Person);
    reach.allow_by_answer(at("git.example", 443));
    assert_eq!(reach.decide(&at("git.example", 443)), Ok(NamedBy::Person));
}

proptest! {
    #[test]
    fn nothing_is_allowed_that_was_not_named(host in "[a-z0-9.-]{1,40}", port in 1_u16..) {
        if let Some(asked) = Destination::new(&host, port) {
            let mut reach = InstallReach::default();
            reach.allow(at("registry.npmjs.org", 443), NamedBy::Default);
            let same = asked == at("registry.npmjs.org", 443);
            prop_assert_eq!(reach.decide(&asked).is_ok(), same);
        }
    }

    #[test]
    fn any_text_is_a_destination_or_none(text in ".{0,60}") {
        if let Some(found) = Destination::of_url(&text) {
            prop_assert!(!found.host().contains(['@', '/', ' ', '\r', '\n']));
        }
    }
}
