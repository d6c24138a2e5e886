-- What project memory keeps outside of the repository: proposals, private items, those of one machine.
-- Each line is one event in the form of the memory files; its id is a column so that it is kept once.
-- `project` is the project's id, or the folder of a checkout that has none.
CREATE TABLE memory_lines (
    project TEXT NOT NULL,
    event   TEXT NOT NULL,
    line    TEXT NOT NULL,
    PRIMARY KEY (project, event)
) STRICT, WITHOUT ROWID;
