//! Statistics of engine testing.
