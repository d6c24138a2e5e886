//! Journals, inbox, heads and ledger on SQLite: the only SQL.
