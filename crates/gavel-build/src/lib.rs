//! Building phase by phase: scout, plan, code, verify, audit, fix, commit; and the seal.
