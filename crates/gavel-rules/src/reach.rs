//! Which hosts a step that fetches dependencies may talk to.
//!
//! Only what a person's own settings and package managers name is allowed; a project's files never
//! come in here.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gavel_domain::HostRefusal;

/// Who named a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamedBy {
    /// A package manager's public default.
    Default,
    /// A project, and a person said yes to the name: not to wherever it may lead.
    Answer,
    /// The person, in their own configuration.
    Person,
}

/// A host and a port: the name in lower case, without brackets and without a final dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Destination {
    host: String,
    port: u16,
}

impl Destination {
    /// Takes a host as a URL or a request names it; `None` when it cannot be one.
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let bare = host.strip_prefix('[').map_or(Some(host), |rest| {
            rest.strip_suffix(']')
                .filter(|inside| inside.parse::<Ipv6Addr>().is_ok())
        })?;
        let bare = bare.strip_suffix('.').unwrap_or(bare);
        let is_address = bare.parse::<IpAddr>().is_ok();
        let letter = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let is_name = bare.len() <= 253 && bare.starts_with(|c: char| c.is_ascii_alphanumeric());
        let fits = is_address || is_name && bare.chars().all(letter);
        (fits && port > 0).then(|| Self {
            host: bare.to_ascii_lowercase(),
            port,
        })
    }

    /// Takes `host` or `host:port`.
    pub fn parse(text: &str, default_port: u16) -> Option<Self> {
        if text.parse::<Ipv6Addr>().is_ok() {
            return Self::new(text, default_port);
        }
        match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => Self::new(host, port.parse().ok()?),
            Some(_) | None => Self::new(text, default_port),
        }
    }

    /// Takes the host of an `http` or `https` URL; user names and passwords in it are dropped.
    pub fn of_url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.trim().split_once("://")?;
        let port = match scheme.rsplit('+').next()?.to_ascii_lowercase().as_str() {
            "https" => 443,
            "http" => 80,
            _ => return None,
        };
        let authority = rest.split(['/', '?', '#', '\\']).next()?;
        let place = authority.rsplit('@').next()?;
        Self::parse(place, port)
    }

    /// The name or address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl fmt::Display for Destination {
    /// As it stands in a URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        match host.contains(':') {
            true => write!(f, "[{host}]:{port}"),
            false => write!(f, "{host}:{port}"),
        }
    }
}

/// The hosts that install steps may talk to; nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstallReach {
    hosts: BTreeMap<Destination, NamedBy>,
}

impl InstallReach {
    /// Allows a host; the person's word counts over a default.
    pub fn allow(&mut self, destination: Destination, by: NamedBy) {
        let named = self.hosts.entry(destination).or_insert(by);
        *named = (*named).max(by);
    }

    /// Allows what a person said yes to. An address is what it says; a name may lead anywhere.
    pub fn allow_by_answer(&mut self, destination: Destination) {
        let by = match destination.host.parse::<IpAddr>() {
            Ok(_) => NamedBy::Person,
            Err(_) => NamedBy::Answer,
        };
        self.allow(destination, by);
    }

    /// What is allowed.
    pub fn hosts(&self) -> impl Iterator<Item = (&Destination, NamedBy)> {
        self.hosts.iter().map(|(host, by)| (host, *by))
    }

    /// May a step talk to this host, and by whose word?
    pub fn decide(&self, destination: &Destination) -> Result<NamedBy, HostRefusal> {
        let named = self.hosts.get(destination).copied();
        named.ok_or(HostRefusal::NotAllowed)
    }
}

/// May a connection to an allowed host go to this address, which its name led to?
///
/// A public name must not lead to this machine, its neighbours or a cloud's metadata; a host that
/// the person named may be a mirror there.
pub const fn may_dial(named: NamedBy, address: IpAddr) -> Result<(), HostRefusal> {
    match named {
        NamedBy::Person => Ok(()),
        NamedBy::Default | NamedBy::Answer if is_public(address) => Ok(()),
        NamedBy::Default | NamedBy::Answer => Err(HostRefusal::PrivateAddress),
    }
}

pub(crate) const fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let [first, second, third, fourth, fifth, sixth, high, low] = address.segments();
            match (first, second, third, fourth, fifth, sixth) {
                // Mapped and compatible addresses, translation by NAT64 and by 6to4.
                (0, 0, 0, 0, 0, 0 | 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => {
                    is_public_v4(embedded(high, low))
                }
                (0x2002, a, b, _, _, _) => is_public_v4(embedded(a, b)),
                // Everything but global unicast.
                (_, _, _, _, _, _) => first & 0xe000 == 0x2000,
            }
        }
    }
}

const fn embedded(high: u16, low: u16) -> Ipv4Addr {
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Ipv4Addr::new(a, b, c, d)
}

const fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && second & 0xc0 == 64;
    let measured = first == 198 && second & 0xfe == 18;
    !(first == 0
        || first >= 224
        || shared
        || measured
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local())
}

#[cfg(test)]
#[path = "reach_tests.rs"]
mod tests;
