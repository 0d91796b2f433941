//! Positions, moves, legal move generation, hashing, static exchange, perft.
