-- Keys that programs come in with: only a digest is kept, so the file gives nobody a key.
CREATE TABLE keys (
    id         TEXT    NOT NULL PRIMARY KEY,
    digest     TEXT    NOT NULL UNIQUE,
    scope      TEXT    NOT NULL,
    label      TEXT    NOT NULL,
    created_us INTEGER NOT NULL,
    revoked_us INTEGER
) STRICT, WITHOUT ROWID;

-- Bytes that this store signs with, by what they are for.
CREATE TABLE secrets (
    purpose TEXT NOT NULL PRIMARY KEY,
    bytes   BLOB NOT NULL
) STRICT, WITHOUT ROWID;
