//! Generation of legal moves, without trying any of them on the board.
//!
//! Pieces that are pinned stay on the line of their pin; in check, only squares that end it are
//! targets. Both are masks, so that whole sets of moves are made at once. Moves go to a [`Sink`],
//! which lists or only counts them.

use super::lines::{anti_diagonal, diagonal};
use super::moves::{Move, MoveList, PROMOTIONS};
use super::{
    Bitboard, Color, Position, Rank, Role, Square, between, bishop_attacks, king_attacks,
    knight_attacks, pawn_attacks, ray, rook_attacks,
};

/// A receiver of generated moves.
pub(super) trait Sink {
    /// A piece goes from a square to each of the targets.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Pawns go to each of the targets, each from the square `delta` before it.
    fn pawns(&mut self, targets: Bitboard, delta: i32);
    /// Pawns promote on each of the targets to each of the roles.
    fn promotions(&mut self, targets: Bitboard, delta: i32, roles: &[Role]);
    /// Castling or en passant.
    fn special(&mut self, m: Move);
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::normal(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, delta: i32) {
        for to in targets {
            self.push(Move::normal(origin(to, delta), to));
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, delta: i32, roles: &[Role]) {
        for to in targets {
            for &role in roles {
                self.push(Move::promoting(origin(to, delta), to, role));
            }
        }
    }

    #[inline]
    fn special(&mut self, m: Move) {
        self.push(m);
    }
}

/// Counts moves.
pub(super) struct Counter(pub(super) usize);

impl Sink for Counter {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i32) {
        self.0 += targets.count();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i32, roles: &[Role]) {
        self.0 += targets.count() * roles.len();
    }

    #[inline]
    fn special(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// A selection of the legal moves.
trait Selection {
    /// Captures that do not promote to less than a queen, and promotions to a queen.
    const NOISY: bool;
    /// All others.
    const QUIET: bool;
}

struct All;
struct Noisy;
struct Quiet;

impl Selection for All {
    const NOISY: bool = true;
    const QUIET: bool = true;
}

impl Selection for Noisy {
    const NOISY: bool = true;
    const QUIET: bool = false;
}

impl Selection for Quiet {
    const NOISY: bool = false;
    const QUIET: bool = true;
}

impl Position {
    /// All legal moves.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate::<All>(&mut moves);
        moves
    }

    /// Legal captures and promotions, except promotions to less than a queen.
    #[inline]
    pub fn noisy_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate::<Noisy>(&mut moves);
        moves
    }

    /// The legal moves that are not [noisy](Position::noisy_moves).
    #[inline]
    pub fn quiet_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate::<Quiet>(&mut moves);
        moves
    }

    /// The number of legal moves; faster than listing them.
    #[inline]
    pub fn count_legal_moves(&self) -> usize {
        let mut counter = Counter(0);
        self.generate::<All>(&mut counter);
        counter.0
    }

    /// Whether there is a legal move. If not, it is mate or stalemate.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() > 0
    }

    #[inline]
    fn generate<M: Selection>(&self, sink: &mut impl Sink) {
        match self.side {
            Color::White => Generator::<true>::new(self).run::<M>(sink),
            Color::Black => Generator::<false>::new(self).run::<M>(sink),
        }
    }
}

/// The state of one generation. The side is a constant, so that pawn shifts are constant, too.
struct Generator<'a, const WHITE: bool> {
    position: &'a Position,
    king: Square,
    ours: Bitboard,
    theirs: Bitboard,
    occupied: Bitboard,
    /// Targets of pieces other than the king: all squares, or those that end the check.
    evasions: Bitboard,
}

impl<'a, const WHITE: bool> Generator<'a, WHITE> {
    const US: Color = Color::from_white(WHITE);
    const FORWARD: i32 = if WHITE { 8 } else { -8 };

    #[inline]
    fn new(position: &'a Position) -> Generator<'a, WHITE> {
        let king = position.king(Self::US);
        let evasions = match position.checkers.first() {
            Some(checker) => between(king, checker) | position.checkers,
            None => Bitboard::FULL,
        };
        Generator {
            position,
            king,
            ours: position.by_color(Self::US),
            theirs: position.by_color(!Self::US),
            occupied: position.occupied(),
            evasions,
        }
    }

    #[inline]
    fn run<M: Selection>(&self, sink: &mut impl Sink) {
        if !self.position.checkers.more_than_one() {
            let targets = self.targets::<M>() & self.evasions;
            self.knights(targets, sink);
            self.sliders(self.position.diagonal_sliders(), targets, sink, bishop_attacks);
            self.sliders(self.position.straight_sliders(), targets, sink, rook_attacks);
            self.pawn_pushes::<M>(sink);
            self.pawn_captures::<M>(sink);
            if M::NOISY {
                self.en_passant(sink);
            }
            if M::QUIET {
                self.castling(sink);
            }
        }
        self.king(self.targets::<M>(), sink);
    }

    /// Squares that a piece may go to, under the selection.
    #[inline]
    fn targets<M: Selection>(&self) -> Bitboard {
        match (M::NOISY, M::QUIET) {
            (true, true) => !self.ours,
            (true, false) => self.theirs,
            (false, _) => !self.occupied,
        }
    }

    #[inline]
    fn knights(&self, targets: Bitboard, sink: &mut impl Sink) {
        // A pinned knight can never move.
        let knights = self.position.by_role(Role::Knight) & self.ours & !self.position.pinned;
        for from in knights {
            sink.piece(from, knight_attacks(from) & targets);
        }
    }

    #[inline]
    fn sliders(
        &self,
        sliders: Bitboard,
        targets: Bitboard,
        sink: &mut impl Sink,
        attacks: impl Fn(Square, Bitboard) -> Bitboard,
    ) {
        let sliders = sliders & self.ours;
        for from in sliders & !self.position.pinned {
            sink.piece(from, attacks(from, self.occupied) & targets);
        }
        for from in sliders & self.position.pinned {
            sink.piece(from, attacks(from, self.occupied) & targets & ray(self.king, from));
        }
    }

    #[inline]
    fn king(&self, targets: Bitboard, sink: &mut impl Sink) {
        let position = self.position;
        let enemy_king = position.king(!Self::US);
        let candidates = king_attacks(self.king) & targets & !king_attacks(enemy_king);
        // A slider attacks through the king's old square.
        let occupied = self.occupied ^ Bitboard::from_square(self.king);
        let mut safe = candidates;
        for to in candidates {
            if position.is_attacked(to, !Self::US, occupied) {
                safe ^= Bitboard::from_square(to);
            }
        }
        sink.piece(self.king, safe);
    }

    #[inline]
    fn castling(&self, sink: &mut impl Sink) {
        for rook in self.position.castling.rooks_of(Self::US) {
            if self.position.can_castle_now(self.king, rook) {
                sink.special(Move::castling(self.king, rook));
            }
        }
    }

    #[inline]
    fn pawns(&self) -> Bitboard {
        self.position.by_role(Role::Pawn) & self.ours
    }

    #[inline]
    fn pawn_pushes<M: Selection>(&self, sink: &mut impl Sink) {
        let pinned = self.position.pinned & !Bitboard::from_file(self.king.file());
        let empty = !self.occupied;
        let single = (self.pawns() & !pinned).shift(Self::FORWARD) & empty;
        let third = Bitboard::from_rank(Self::US.relative_rank(Rank::Third));
        let double = (single & third).shift(Self::FORWARD) & empty & self.evasions;
        let single = single & self.evasions;
        if M::QUIET {
            sink.pawns(single & !Bitboard::BACKRANKS, Self::FORWARD);
            sink.pawns(double, 2 * Self::FORWARD);
        }
        self.promote::<M>(single, Self::FORWARD, sink);
    }

    #[inline]
    fn pawn_captures<M: Selection>(&self, sink: &mut impl Sink) {
        // Towards the a-file, then towards the h-file; a pinned pawn only along its pin.
        let anti = anti_diagonal(self.king);
        let main = diagonal(self.king);
        let lines = if WHITE { [(-1, anti), (1, main)] } else { [(-1, main), (1, anti)] };
        for (sideways, line) in lines {
            let pawns = self.pawns() & (!self.position.pinned | line);
            let delta = Self::FORWARD + sideways;
            let targets = pawns.shift(delta) & self.theirs & self.evasions;
            let wrapped = if sideways < 0 { FILE_H } else { FILE_A };
            let targets = targets & !wrapped;
            if M::NOISY {
                sink.pawns(targets & !Bitboard::BACKRANKS, delta);
            }
            self.promote::<M>(targets, delta, sink);
        }
    }

    #[inline]
    fn promote<M: Selection>(&self, targets: Bitboard, delta: i32, sink: &mut impl Sink) {
        let targets = targets & Bitboard::BACKRANKS;
        if targets.is_empty() {
            return;
        }
        let (queen, others) = PROMOTIONS.split_at(1);
        if M::NOISY {
            sink.promotions(targets, delta, queen);
        }
        if M::QUIET {
            sink.promotions(targets, delta, others);
        }
    }

    #[inline]
    fn en_passant(&self, sink: &mut impl Sink) {
        let Some(to) = self.position.en_passant else { return };
        for from in pawn_attacks(!Self::US, to) & self.pawns() {
            if self.position.en_passant_is_safe(from, to) {
                sink.special(Move::en_passant(from, to));
            }
        }
    }
}

const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
const FILE_H: Bitboard = Bitboard(0x8080_8080_8080_8080);

/// Where a pawn came from that went by `delta` to this square.
#[inline]
fn origin(to: Square, delta: i32) -> Square {
    Square::new((to as i32 - delta) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noisy_and_quiet_moves_together_are_the_legal_ones() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
            "4k3/8/8/8/4r3/8/3P1P2/R3K2R w KQ - 0 1",
        ];
        for fen in fens {
            let position = Position::from_fen(fen).unwrap();
            let raw = |moves: &[Move]| {
                let mut raw: Vec<u16> = moves.iter().map(|m| m.raw()).collect();
                raw.sort_unstable();
                raw
            };
            let noisy = position.noisy_moves();
            let quiet = position.quiet_moves();
            assert!(noisy.iter().all(|&m| position.is_noisy(m)), "{fen}");
            assert!(!quiet.iter().any(|&m| position.is_noisy(m)), "{fen}");
            let both: Vec<Move> = noisy.iter().chain(quiet.iter()).copied().collect();
            let legal = position.legal_moves();
            assert_eq!(raw(&both), raw(&legal), "{fen}");
            assert_eq!(position.count_legal_moves(), legal.len(), "{fen}");
        }
    }

    #[test]
    fn mate_and_stalemate_have_no_move() {
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
        for (fen, in_check) in [(mate, true), (stalemate, false)] {
            let position = Position::from_fen(fen).unwrap();
            assert!(!position.has_legal_move(), "{fen}");
            assert_eq!(position.in_check(), in_check, "{fen}");
        }
    }

    #[test]
    fn the_position_with_most_moves_fits_a_list() {
        let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
        assert_eq!(Position::from_fen(fen).unwrap().legal_moves().len(), 218);
    }
}
