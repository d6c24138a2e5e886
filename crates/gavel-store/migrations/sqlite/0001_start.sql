-- The first layout. Files in this folder are never edited once released: a change is a new file.
PRAGMA application_id = 1195464268;

CREATE TABLE meta (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    schema     INTEGER NOT NULL,
    min_reader INTEGER NOT NULL,
    min_writer INTEGER NOT NULL
) STRICT;

-- One row per run: what queries need as columns, and the whole head as JSON. Times in
-- microseconds, since the text form of a moment does not sort.
CREATE TABLE heads (
    run        TEXT    NOT NULL PRIMARY KEY,
    project    TEXT,
    final      INTEGER NOT NULL CHECK (final IN (0, 1)),
    updated_us INTEGER NOT NULL,
    seq        INTEGER NOT NULL CHECK (seq > 0),
    chain      TEXT    NOT NULL,
    head       TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX heads_recent ON heads (updated_us, run, final);
CREATE INDEX heads_of_project ON heads (project, updated_us, run, final);

CREATE TABLE records (
    run   TEXT    NOT NULL REFERENCES heads (run),
    seq   INTEGER NOT NULL CHECK (seq > 0),
    v     INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    key   TEXT    NOT NULL,
    kind  TEXT    NOT NULL,
    input TEXT    NOT NULL,
    at    TEXT    NOT NULL,
    prev  TEXT    NOT NULL,
    body  TEXT    NOT NULL,
    PRIMARY KEY (run, seq),
    UNIQUE (run, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
    run    TEXT    NOT NULL PRIMARY KEY,
    epoch  INTEGER NOT NULL,
    holder TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE blobs (
    digest  TEXT NOT NULL PRIMARY KEY,
    content BLOB NOT NULL
) STRICT;

-- Which runs brought a blob, so that retention and purge know when nobody needs it.
CREATE TABLE blob_uses (
    run    TEXT NOT NULL REFERENCES heads (run),
    digest TEXT NOT NULL REFERENCES blobs (digest),
    PRIMARY KEY (run, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_uses_of_digest ON blob_uses (digest);

CREATE TABLE inbox (
    n         INTEGER PRIMARY KEY,
    id        TEXT    NOT NULL UNIQUE,
    run       TEXT    NOT NULL REFERENCES heads (run),
    speaker   TEXT    NOT NULL,
    at        TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    slot      TEXT,
    taken_seq INTEGER,
    refused   INTEGER NOT NULL DEFAULT 0 CHECK (refused IN (0, 1))
) STRICT;

CREATE UNIQUE INDEX inbox_slot ON inbox (run, slot) WHERE slot IS NOT NULL AND refused = 0;
CREATE INDEX inbox_pending ON inbox (run, n) WHERE taken_seq IS NULL;

-- One row per provider call. No reference to a run: the ledger outlives a purge.
CREATE TABLE ledger (
    n              INTEGER PRIMARY KEY,
    run            TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    month          TEXT    NOT NULL,
    at             TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    role           TEXT    NOT NULL,
    stage          TEXT,
    class          TEXT    NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('reserved', 'settled', 'lost', 'released')),
    ceiling        INTEGER NOT NULL CHECK (ceiling >= 0),
    ceiling_tokens INTEGER NOT NULL CHECK (ceiling_tokens >= 0),
    cost           INTEGER NOT NULL DEFAULT 0 CHECK (cost >= 0),
    input          INTEGER NOT NULL DEFAULT 0 CHECK (input >= 0),
    cache_read     INTEGER NOT NULL DEFAULT 0 CHECK (cache_read >= 0),
    cache_write    INTEGER NOT NULL DEFAULT 0 CHECK (cache_write >= 0),
    output         INTEGER NOT NULL DEFAULT 0 CHECK (output >= 0),
    UNIQUE (run, key)
) STRICT;

CREATE INDEX ledger_of_month ON ledger (month, n);

-- Sums over the ledger, of a run (`run`, its id) or a UTC month (`month`, `2026-11`).
CREATE TABLE totals (
    scope              TEXT    NOT NULL CHECK (scope IN ('run', 'month')),
    name               TEXT    NOT NULL,
    settled            INTEGER NOT NULL CHECK (settled >= 0),
    unconfirmed        INTEGER NOT NULL CHECK (unconfirmed >= 0),
    reserved           INTEGER NOT NULL CHECK (reserved >= 0),
    settled_tokens     INTEGER NOT NULL CHECK (settled_tokens >= 0),
    unconfirmed_tokens INTEGER NOT NULL CHECK (unconfirmed_tokens >= 0),
    reserved_tokens    INTEGER NOT NULL CHECK (reserved_tokens >= 0),
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
