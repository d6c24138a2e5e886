//! Steps, scopes, inbox, lease, money door, signals.
