//! Positions and moves: legal move generation, hashing, static exchange, FEN, Chess960, perft.
//!
//! It knows nothing of the rest of the engine. Start reading at [`Position`]; `generate` has the move
//! generator, `play` makes moves.
//!
//! Squares, bitboards and attack tables are shakmaty's. The [`Position`] is our own, because the
//! search copies and plays one at every node: it has a mailbox beside its bitboards, the checkers and
//! pinned pieces, and incremental hash keys. `cargo bench -p tench --bench
//! perft` measures what that gains: 1.6 to 3.5 times the speed of shakmaty's own perft by position,
//! 2.3 times in the middle (portable build, one core of a shared Xeon, November 2026).

mod castling;
mod changes;
mod check;
mod convert;
mod fen;
mod generate;
mod legality;
mod lines;
mod moves;
mod notation;
mod perft;
mod play;
mod position;
mod see;
mod zobrist;

pub use castling::CastlingRights;
pub use changes::{Changes, Placed};
pub use fen::FenError;
pub use moves::{Move, MoveList};
pub use notation::UciMove;
pub use perft::perft;
pub use position::Position;
pub use see::exchange_value;
pub use shakmaty::{
    Bitboard, CastlingSide, Color, File, Piece, Rank, Role, Square,
    attacks::{
        self, between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks,
        ray, rook_attacks,
    },
};
