//! The models that this program can reach.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::{Model, ModelId, ModelInfo};

/// A model with its client.
#[derive(Clone)]
pub struct ConfiguredModel {
    /// What is known about it.
    pub info: ModelInfo,
    /// Its client.
    pub model: Arc<dyn Model>,
}

impl fmt::Debug for ConfiguredModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfiguredModel")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// Models by id.
#[derive(Debug, Clone, Default)]
pub struct Models {
    by_id: BTreeMap<ModelId, ConfiguredModel>,
}

impl Models {
    /// Adds a model, or replaces the one of the same id.
    pub fn insert(&mut self, info: ModelInfo, model: Arc<dyn Model>) {
        self.by_id
            .insert(info.id.clone(), ConfiguredModel { info, model });
    }

    /// Finds a model.
    pub fn get(&self, id: &ModelId) -> Option<&ConfiguredModel> {
        self.by_id.get(id)
    }

    /// All models, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &ConfiguredModel> {
        self.by_id.values()
    }
}
