//! The store on SQLite, from outside.

mod damage;
mod opening;
mod suite;
