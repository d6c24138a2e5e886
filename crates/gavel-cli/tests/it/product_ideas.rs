//! Five ideas, each with a script that was written from the idea alone: `gavel start` builds the program, the
//! script uses it as a person would. Two of them are always tried, all five with `GAVEL_TEST_WITH=ideas`.

#[path = "ideas/cellar.rs"]
mod cellar;
#[path = "ideas/fuel.rs"]
mod fuel;
#[path = "ideas/lent.rs"]
mod lent;
#[path = "ideas/program.rs"]
mod program;
#[path = "ideas/recipes.rs"]
mod recipes;
#[path = "ideas/vet.rs"]
mod vet;
