//! The side to move of a position that is set up.

use super::Filler;

impl Filler<'_> {
    /// "Black to move".
    pub(super) fn turn(&mut self) {
        for side in ["white", "black"] {
            let said = [
                format!("{side} to move"),
                format!("{side} to play"),
                format!("{side} is to move"),
                format!("{side} shall move"),
                format!("{side} will move"),
                format!("{side} to go"),
                format!("now {side} moves"),
                format!("{side} is to play"),
                format!("{side} moves"),
                format!("{side}s turn"),
                format!("{side} turn"),
                format!("{side}s move"),
                format!("{side} on move"),
                format!("{side} be on move"),
                format!("{side} is on move"),
                format!("{side} to be on move"),
                format!("{side} comes to move"),
                format!("let {side} move"),
                format!("to move to {side}"),
                format!("move to {side}"),
                format!("turn to {side}"),
                format!("move over to {side}"),
                format!("turn over to {side}"),
                format!("give {side} the move"),
                format!("let {side} move first"),
                format!("{side} moves first"),
                format!("{side} to move first"),
                format!("{side} begins"),
                format!("turn of {side}"),
                format!("side to move {side}"),
                format!("to move {side}"),
                format!("be {side}s"),
                format!("{side} pieces begin"),
                format!("{side} is next"),
                format!("{side} goes next"),
                format!("{side} goes first"),
                format!("{side} should move"),
                format!("{side} should be next to go"),
                format!("{side} pieces should be next to go"),
                format!("{side} pieces to move"),
                format!("{side} pieces move"),
                format!("{side} has the move"),
                format!("{side} have the move"),
                format!("{side} ones go next"),
                format!("{side} ones go first"),
                format!("{side} ones move"),
                format!("{side} ones to move"),
                format!("{side} ones are next"),
                format!("{side} pieces go next"),
                format!("{side} pieces go first"),
                format!("{side} go next"),
                format!("{side} go first"),
                format!("{side} starts"),
                format!("{side}s go"),
                format!("{side} side move"),
                format!("{side} side moves"),
                format!("{side} side to move"),
                format!("{side} side is next"),
            ];
            if said.iter().any(|phrase| self.phrase(phrase)) {
                self.set("turn", Some(side));
                let other = if side == "white" { "black" } else { "white" };
                self.refused_other(&[other, &format!("{other}s")]);
            }
        }
        let others = [
            "the side to move",
            "whose turn",
            "whose move",
            "the other side",
            "the other player",
            "the other colour",
        ];
        if !self.filled.slots.contains_key("turn")
            && let Some(place) = others.iter().find_map(|said| self.place_of(said))
        {
            let is_black = self.sentence.context.fen.split(' ').nth(1) == Some("b");
            self.mark(place);
            self.set("turn", Some(if is_black { "white" } else { "black" }));
        }
    }
}
