//! The contracts of one build.

use std::collections::BTreeMap;

use gavel_domain::{Contract, ContractKind, Digest};

/// The contracts of one build, at most one of each kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shelf {
    contracts: BTreeMap<ContractKind, Contract>,
}

impl Shelf {
    /// Puts a contract on the shelf; one of the same kind makes room and is returned.
    pub fn insert(&mut self, contract: Contract) -> Option<Contract> {
        self.contracts.insert(contract.kind, contract)
    }

    /// The contract of a kind.
    pub fn get(&self, kind: ContractKind) -> Option<&Contract> {
        self.contracts.get(&kind)
    }

    /// All, in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = &Contract> {
        self.contracts.values()
    }

    /// What pins them.
    pub fn digests(&self) -> BTreeMap<ContractKind, Digest> {
        self.iter()
            .map(|contract| (contract.kind, contract.digest()))
            .collect()
    }

    /// True when there is one of each kind.
    pub fn is_complete(&self) -> bool {
        self.missing().next().is_none()
    }

    /// The kinds that are not there, in the order in which they are written.
    pub(crate) fn missing(&self) -> impl Iterator<Item = ContractKind> {
        ContractKind::ALL
            .into_iter()
            .filter(|kind| !self.contracts.contains_key(kind))
    }
}

impl FromIterator<Contract> for Shelf {
    fn from_iter<I: IntoIterator<Item = Contract>>(contracts: I) -> Self {
        let mut shelf = Self::default();
        for contract in contracts {
            shelf.insert(contract);
        }
        shelf
    }
}
