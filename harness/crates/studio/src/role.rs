//! Who may look and who may change something.

/// Rights of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Look.
    View,
    /// Look, start, stop, change.
    Control,
}
