//! The fields of a form.

/// A form that was sent from one of our pages.
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Of the names and values of its fields.
    pub fn new(fields: Vec<(String, String)>) -> Form {
        Form(fields)
    }

    /// The value of a field; empty without it.
    pub fn get(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(field, _)| field == name);
        field.map_or("", |(_, value)| value.as_str())
    }
}
