//! EPD test suites: reading, solving, scoring.
