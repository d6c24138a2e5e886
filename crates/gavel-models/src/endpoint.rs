//! Where a provider is reached, and with which key.

use std::fmt;

use reqwest::Url;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::KnownSecrets;

/// A base URL and its key. `Debug` never prints the key.
#[derive(Clone)]
pub struct Endpoint {
    base: Url,
    key: Option<SecretString>,
    secrets: KnownSecrets,
}

/// An endpoint that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Give a full URL.
    #[error("`{0}` is not a base URL (expected for example http://127.0.0.1:8080/v1)")]
    NotAUrl(String),
    /// Take user and password out; give the key as a key.
    #[error("a base URL must not hold a user name or password: give the key in its variable")]
    Credentials,
    /// Set the key again: it holds characters that no header can carry.
    #[error("the key holds characters that cannot be sent (a line break, perhaps)")]
    Key,
}

impl Endpoint {
    /// An endpoint; local servers often take no key.
    pub fn new(base_url: &str, key: Option<SecretString>) -> Result<Self, EndpointError> {
        let not_a_url = || EndpointError::NotAUrl(base_url.chars().take(200).collect());
        let base = match Url::parse(base_url) {
            Ok(url) if url.has_host() && matches!(url.scheme(), "http" | "https") => url,
            Ok(_) | Err(_) => return Err(not_a_url()),
        };
        if !base.username().is_empty() || base.password().is_some() {
            return Err(EndpointError::Credentials);
        }
        // An empty variable is a variable that is not set.
        let key = key.filter(|key| !key.expose_secret().trim().is_empty());
        let secrets = KnownSecrets::new(&key);
        let endpoint = Self { base, key, secrets };
        endpoint.key_header("")?;
        Ok(endpoint)
    }

    /// The base URL, without the trailing slash.
    pub fn base_url(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// True when the endpoint is on this machine; such calls never go through a proxy.
    pub fn is_loopback(&self) -> bool {
        match self.base.host_str() {
            Some("localhost" | "[::1]") => true,
            Some(host) => host
                .parse::<std::net::Ipv4Addr>()
                .is_ok_and(|address| address.is_loopback()),
            None => false,
        }
    }

    /// True when a key is set.
    pub const fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// The address of a route, such as `/chat/completions`.
    pub(crate) fn url(&self, route: &str) -> String {
        format!("{}{route}", self.base_url())
    }

    /// The key as a header value after `prefix`, marked so that nothing logs it.
    pub(crate) fn key_header(&self, prefix: &str) -> Result<Option<HeaderValue>, EndpointError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let text = format!("{prefix}{}", key.expose_secret().trim());
        match HeaderValue::from_str(&text) {
            Ok(mut value) => {
                value.set_sensitive(true);
                Ok(Some(value))
            }
            Err(_) => Err(EndpointError::Key),
        }
    }

    /// Takes the key out of a text that came from outside.
    pub(crate) fn scrub(&self, text: &str) -> String {
        let clean = self.secrets.scrub_cut(text);
        match &self.key {
            // However short it is: this is for messages, where no ordinary word matters.
            Some(key) => clean.replace(key.expose_secret().trim(), "***"),
            None => clean,
        }
    }

    /// The key, for those who must not show it.
    pub(crate) const fn key(&self) -> Option<&SecretString> {
        self.key.as_ref()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("base", &self.base_url())
            .field("key", &self.key.as_ref().map(|_| "***"))
            .finish()
    }
}
