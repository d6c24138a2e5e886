//! The fields of an answer in the order in which its type declares them.

use gavel_models::FieldOrder;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// The order of every object of a schema that `T` declares as a struct.
pub(crate) fn declared_order<T: DeserializeOwned>(schema: &Value) -> FieldOrder {
    let mut order = FieldOrder::default();
    visit::<T>(schema, &mut Vec::new(), &mut order);
    order
}

fn visit<T: DeserializeOwned>(schema: &Value, path: &mut Vec<String>, order: &mut FieldOrder) {
    if let Some(items) = schema.get("items") {
        visit::<T>(items, path, order);
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    if let Some(fields) = fields_at::<T>(path) {
        order.set(
            path,
            fields.iter().map(|field| (*field).to_owned()).collect(),
        );
    }
    for (name, below) in properties {
        path.push(name.clone());
        visit::<T>(below, path, order);
        path.pop();
    }
}

/// The fields of the struct that stands at a path of fields; what is read in a way of its own has none.
fn fields_at<T: DeserializeOwned>(path: &[String]) -> Option<&'static [&'static str]> {
    let mut found = None;
    let probe = Probe {
        path,
        found: &mut found,
    };
    // It reads no value: it ends where the struct asks for its fields.
    let _ended = T::deserialize(probe);
    found
}

/// Reads nothing, and sees which fields are asked for at the end of a path.
struct Probe<'p> {
    path: &'p [String],
    found: &'p mut Option<&'static [&'static str]>,
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.path.is_empty() {
            *self.found = Some(fields);
            return Err(Error::custom("seen"));
        }
        visitor.visit_map(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Probe<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.path.first() else {
            return Ok(None);
        };
        seed.deserialize(StrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Probe {
            path: self.path.get(1..).unwrap_or_default(),
            found: &mut *self.found,
        })
    }
}

impl<'de> SeqAccess<'de> for Probe<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let probe = Probe {
            path: self.path,
            found: &mut *self.found,
        };
        seed.deserialize(probe).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;
    use crate::arguments::closed_schema_of;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "its fields are declared and never read")]
    struct Answer {
        text: String,
        #[serde(default)]
        choices: Vec<Chosen>,
        also: Option<Chosen>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "its fields are declared and never read")]
    struct Chosen {
        why: String,
        #[serde(rename = "option", default)]
        letter: String,
        confidence: u32,
    }

    #[test]
    fn fields_are_found_as_they_are_declared_at_every_depth() {
        let path = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        let found = |names: &[&str]| fields_at::<Answer>(&path(names));
        assert_eq!(found(&[]), Some(&["text", "choices", "also"][..]));
        let chosen = Some(&["why", "option", "confidence"][..]);
        assert_eq!((found(&["choices"]), found(&["also"])), (chosen, chosen));
        assert_eq!(found(&["text"]), None);
        let schema = closed_schema_of::<Answer>();
        let order = format!("{:?}", declared_order::<Answer>(&schema));
        assert!(
            order.contains(r#"["choices"]: ["why", "option", "confidence"]"#),
            "{order}"
        );
    }
}
