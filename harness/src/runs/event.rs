//! What happens in a run that needs no events of its own.

/// Something that happened in a run.
pub enum Event<'a, P> {
    /// Something that makes the result worth less.
    Warning(&'a str),
    /// The run went on; how far it is.
    Progress(P),
}

/// Takes every event, one after the other.
pub type Sink<'a, P> = dyn Fn(Event<'_, P>) + 'a;
