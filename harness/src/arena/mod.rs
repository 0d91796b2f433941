//! Games between two players: rules, clocks, openings, pairs, workers, PGN.
