-- Agents that came to a project's loops, so that a turn is given only to those who will look for it.
-- `project` is the project's id, or the folder of a checkout that has none.
CREATE TABLE agents (
    project TEXT NOT NULL,
    agent   TEXT NOT NULL,
    seen    TEXT NOT NULL,
    PRIMARY KEY (project, agent)
) STRICT, WITHOUT ROWID;
