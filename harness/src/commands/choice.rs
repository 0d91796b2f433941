//! Values of flags that are the variants of an enum of the library, which knows nothing of clap.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::{EnumMessage, VariantArray};

/// Parser of a flag whose values are the variants of `T`, with their documentation as help.
pub fn choice<T>() -> impl TypedValueParser<Value = T>
where
    T: Copy + EnumMessage + Into<&'static str> + Send + Sync + VariantArray,
{
    let values = T::VARIANTS.iter().map(|variant| {
        let name: &str = (*variant).into();
        let aliases = variant.get_serializations().iter().filter(|alias| **alias != name);
        PossibleValue::new(name).aliases(aliases).help(sentence(variant.get_documentation()))
    });
    PossibleValuesParser::new(values).map(|name| {
        let is_named = |variant: &&T| variant.get_serializations().contains(&name.as_str());
        *T::VARIANTS.iter().find(is_named).expect("the parser takes no other names")
    })
}

/// Documentation in one line, without its full stop.
fn sentence(documentation: Option<&str>) -> String {
    let words: Vec<&str> = documentation.unwrap_or_default().split_whitespace().collect();
    words.join(" ").trim_end_matches('.').to_owned()
}
