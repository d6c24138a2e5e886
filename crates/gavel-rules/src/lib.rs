//! Every pure decision: grants, guards, ceilings, checks.
