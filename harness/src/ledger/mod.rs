//! The embedded store: runs, games, suite results; resume.
