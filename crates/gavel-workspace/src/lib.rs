//! Git, files, code reading, secret scanner, sandbox, verify recipes.
