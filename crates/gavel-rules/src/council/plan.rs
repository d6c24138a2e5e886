//! A plan of a debate: what makes it usable, what stands in for it, who is added.
