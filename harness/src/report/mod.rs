//! What people and programs see: terminal, HTML with charts, JSON.
