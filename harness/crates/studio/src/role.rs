//! Who may look and who may change something.

/// What a request may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Look.
    View,
    /// Look, start, stop, change.
    Control,
}
