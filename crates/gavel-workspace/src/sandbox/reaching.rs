//! Whom a command can reach, where that is not what its profile says.

use gavel_rules::Destination;

use super::policy::Policy;
use super::profile_env;
use crate::Registries;

impl Policy {
    /// The same for a step that runs code and may reach these hosts alone; what else it asks a proxy
    /// for is refused and named.
    #[must_use]
    pub(crate) fn reaching(mut self, hosts: &[Destination]) -> Self {
        self.proxied = true;
        let upstream = self.registries.upstream.take();
        self.registries = Registries {
            upstream,
            ..Registries::default()
        };
        for host in hosts {
            self.registries.reach.allow_by_answer(host.clone());
        }
        for name in profile_env::PROXIES {
            self.env
                .insert(name.to_owned(), profile_env::PROXY.to_owned());
        }
        for (name, _) in profile_env::OFFLINE.iter().filter(|_| !hosts.is_empty()) {
            self.env.remove(*name);
        }
        self
    }

    /// The same for a step that has this machine's network: there is no proxy of ours in it.
    pub(crate) fn in_open_network(mut self) -> Self {
        let upstream = self.registries.upstream.as_ref();
        let upstream = upstream.map(|upstream| upstream.proxy.to_string());
        for name in profile_env::PROXIES {
            match &upstream {
                Some(proxy) => self.env.insert(name.to_owned(), format!("http://{proxy}")),
                None => self.env.remove(name),
            };
        }
        self
    }
}
