//! Scout over small repositories, one for each ecosystem and two of several, whose labels were written by hand.

#![cfg(test)]

mod fixtures;
mod quick;
