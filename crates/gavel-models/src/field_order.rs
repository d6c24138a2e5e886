//! The order in which the fields of an answer go out: models write them in the order in which they see
//! them, and a reason that comes behind the choice explains nothing.

use std::collections::BTreeMap;

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The fields of each object of a schema in their order, by the path of fields that leads to the object.
///
/// It changes how a schema is written and not what it says: two schemas are equal whatever their orders
/// are, and no record of a request holds it.
#[derive(Debug, Clone, Default)]
pub struct FieldOrder(BTreeMap<Vec<String>, Vec<String>>);

impl PartialEq for FieldOrder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl FieldOrder {
    /// Says in which order the fields of an object go out; those that are not named follow.
    pub fn set(&mut self, path: &[String], fields: Vec<String>) {
        self.0.insert(path.to_vec(), fields);
    }

    fn at(&self, path: &[String]) -> &[String] {
        self.0.get(path).map_or(&[], Vec::as_slice)
    }
}

/// By name.
static NONE: FieldOrder = FieldOrder(BTreeMap::new());

/// A schema as it goes out.
#[derive(Debug)]
pub(crate) struct InOrder<'a> {
    schema: &'a Value,
    order: &'a FieldOrder,
    path: Vec<String>,
}

impl<'a> InOrder<'a> {
    pub(crate) const fn of(schema: &'a Value, order: &'a FieldOrder) -> Self {
        Self {
            schema,
            order,
            path: Vec::new(),
        }
    }

    /// A schema whose fields have no order of their own.
    pub(crate) const fn by_name(schema: &'a Value) -> Self {
        Self::of(schema, &NONE)
    }

    fn below(&self, schema: &'a Value) -> Self {
        Self {
            schema,
            order: self.order,
            path: self.path.clone(),
        }
    }
}

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.schema {
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    match value.as_object().filter(|_| name == "properties") {
                        Some(properties) => {
                            let of = self;
                            map.serialize_entry(name, &Properties { properties, of })?;
                        }
                        None => map.serialize_entry(name, &self.below(value))?,
                    }
                }
                map.end()
            }
            Value::Array(items) => {
                let mut all = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    all.serialize_element(&self.below(item))?;
                }
                all.end()
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                plain.serialize(serializer)
            }
        }
    }
}

/// The properties of an object.
struct Properties<'p, 'a> {
    properties: &'a Map<String, Value>,
    of: &'p InOrder<'a>,
}

impl Serialize for Properties<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ordered = self.of.order.at(&self.of.path);
        let first = ordered
            .iter()
            .filter_map(|name| self.properties.get_key_value(name));
        let rest = self.properties.iter();
        let rest = rest.filter(|(name, _)| !ordered.contains(name));
        let mut map = serializer.serialize_map(Some(self.properties.len()))?;
        for (name, schema) in first.chain(rest) {
            let mut path = self.of.path.clone();
            path.push(name.clone());
            let below = InOrder {
                schema,
                order: self.of.order,
                path,
            };
            map.serialize_entry(name, &below)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_go_out_as_they_are_ordered_and_the_others_behind_them() {
        let schema = json!({
            "type": "object",
            "properties": {
                "choices": {
                    "type": "array",
                    "items": {"properties": {"a": {"type": "string"}, "why": {"enum": ["z", "b"]}}},
                },
                "b": {"type": "string"},
                "text": {"type": "string"},
            },
        });
        let mut order = FieldOrder::default();
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        order.set(&[], named(&["text", "choices", "gone"]));
        order.set(&["choices".to_owned()], named(&["why", "a"]));
        let written = serde_json::to_string(&InOrder::of(&schema, &order)).unwrap();
        let place = |name: &str| written.find(&format!("\"{name}\":")).unwrap();
        assert!(place("text") < place("choices") && place("choices") < place("why"));
        assert!(
            place("why") < place("a") && place("a") < place("b"),
            "{written}"
        );
        let read: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read, schema);
        let plain = InOrder::by_name(&schema);
        assert_eq!(serde_json::to_string(&plain).unwrap(), schema.to_string());
    }
}
