//! The tunable parameters of the search, in one table.
//!
//! The table gives two types behind one trait: [`Fixed`], whose accessors are constants that the
//! compiler folds, and [`Values`], which a searcher owns and which can be set by name. The search is
//! generic over [`Params`].

use std::fmt::{self, Write};

/// A search parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; also its UCI option.
    pub name: &'static str,
    /// Its meaning, in a sentence with the unit.
    pub about: &'static str,
    /// Default value.
    pub default: i32,
    /// Minimum.
    pub min: i32,
    /// Maximum.
    pub max: i32,
    /// Step size of tuning.
    pub step: i32,
}

/// Why a parameter cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// No such parameter.
    #[error("there is no search parameter `{0}`")]
    Unknown(String),
    /// Outside of its bounds.
    #[error("search parameter `{}` must lie within {} and {}, not {value}", .parameter.name, .parameter.min, .parameter.max)]
    Range {
        /// The parameter.
        parameter: Parameter,
        /// As given.
        value: i64,
    },
}

macro_rules! parameters {
    ($( $(#[doc = $about:literal])+ $name:ident: $default:literal, $min:literal ..= $max:literal, step $step:literal; )+) => {
        /// The parameters as the search reads them.
        pub trait Params: Clone + Send + Sync {
            $( $(#[doc = $about])+ fn $name(&self) -> i32; )+
        }

        /// Every parameter at its default, as a constant.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Fixed;

        impl Params for Fixed {
            $( #[inline(always)] fn $name(&self) -> i32 { $default } )+
        }

        /// Parameters that can be set.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Values { $( $name: i32, )+ }

        impl Params for Values {
            $( #[inline(always)] fn $name(&self) -> i32 { self.$name } )+
        }

        impl Default for Values {
            fn default() -> Values {
                Values { $( $name: $default, )+ }
            }
        }

        impl Values {
            fn by_name(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $( stringify!($name) => Some(&mut self.$name), )+
                    _ => None,
                }
            }
        }

        /// Every parameter, in the order of the table.
        pub const PARAMETERS: &[Parameter] = &[
            $( Parameter {
                name: stringify!($name),
                about: concat!($($about),+).trim_ascii(),
                default: $default,
                min: $min,
                max: $max,
                step: $step,
            }, )+
        ];
    };
}

parameters! {
    /// Reverse futility: the depth up to which it is tried, in plies.
    rfp_depth: 8, 2..=14, step 1;
    /// Reverse futility: margin a ply, in centipawns.
    rfp_margin: 53, 20..=160, step 8;
    /// Razoring: the depth up to which it is tried, in plies.
    razor_depth: 3, 0..=6, step 1;
    /// Razoring: margin at depth 0, in centipawns.
    razor_base: 180, 50..=500, step 25;
    /// Razoring: margin a ply, in centipawns.
    razor_margin: 365, 50..=400, step 20;
    /// Null move: the depth from which it is tried, in plies.
    null_depth: 3, 1..=6, step 1;
    /// Null move: reduction at depth 0, in plies.
    null_base: 5, 1..=6, step 1;
    /// Null move: plies of depth for one more ply of reduction.
    null_divisor: 4, 2..=8, step 1;
    /// Null move: centipawns above beta for one more ply of reduction.
    null_eval_divisor: 349, 80..=500, step 20;
    /// Internal iterative reduction: the depth from which a node without a hash move is reduced.
    iir_depth: 4, 2..=8, step 1;
    /// Late move pruning: quiet moves tried at depth 0.
    lmp_base: 7, 1..=10, step 1;
    /// Late move pruning: quiet moves more a squared ply, in hundredths.
    lmp_factor: 132, 40..=200, step 10;
    /// Late move pruning: the depth up to which it is done, in plies.
    lmp_depth: 8, 2..=14, step 1;
    /// Futility of quiet moves: the depth up to which it is done, in plies.
    futility_depth: 7, 2..=12, step 1;
    /// Futility of quiet moves: margin at depth 0, in centipawns.
    futility_base: 20, -100..=300, step 15;
    /// Futility of quiet moves: margin a ply, in centipawns.
    futility_margin: 30, 5..=200, step 10;
    /// History pruning: the depth up to which it is done, in plies.
    history_depth: 5, 0..=10, step 1;
    /// History pruning: the history below which a quiet move is skipped, a ply, negated.
    history_margin: 989, 500..=8000, step 250;
    /// SEE pruning of quiet moves: centipawns that may be lost a squared ply.
    see_quiet_margin: 62, 5..=80, step 5;
    /// SEE pruning of captures: centipawns that may be lost a ply.
    see_noisy_margin: 111, 20..=200, step 10;
    /// SEE pruning: the depth up to which it is done, in plies.
    see_depth: 9, 3..=14, step 1;
    /// Late move reduction: the constant of the formula, in hundredths of a ply.
    lmr_base: 200, 0..=400, step 10;
    /// Late move reduction: divisor of ln(depth) ln(moves), in hundredths.
    lmr_divisor: 129, 60..=400, step 10;
    /// Late move reduction: how much of the growth of ln(depth) counts beyond depth 8, in
    /// hundredths.
    lmr_deep: 46, 0..=100, step 10;
    /// Late move reduction: the part of it that applies at the root, before the terms of the move
    /// itself, in hundredths.
    lmr_root: 50, 0..=100, step 10;
    /// Late move reduction: moves tried before any is reduced.
    lmr_moves: 2, 1..=5, step 1;
    /// Late move reduction: history for one ply less of it.
    lmr_history: 4697, 3000..=16000, step 500;
    /// Late move reduction: more of it in cut nodes, in hundredths of a ply.
    lmr_cut_node: 122, 0..=250, step 15;
    /// Late move reduction: less of it in PV nodes, in hundredths of a ply.
    lmr_pv: 60, 0..=200, step 15;
    /// Late move reduction: less of it where the position improves, in hundredths of a ply.
    lmr_improving: 118, 0..=200, step 15;
    /// Late move reduction: more of it where the hash move is noisy, in hundredths of a ply.
    lmr_noisy_hash: 80, 0..=200, step 15;
    /// Late move reduction: margin above the best value for a re-search one ply deeper, in
    /// centipawns.
    lmr_deeper: 63, 10..=150, step 10;
    /// Late move reduction: margin above the best value below which the re-search is one ply
    /// shallower, in centipawns.
    lmr_shallower: 8, 0..=40, step 4;
    /// Singular extension: the depth from which it is tried, in plies.
    singular_depth: 7, 4..=12, step 1;
    /// Singular extension: margin a ply, in hundredths of a centipawn.
    singular_margin: 109, 50..=500, step 25;
    /// Singular extension: margin below the singular margin for a double extension, in centipawns.
    singular_double: 39, 0..=80, step 5;
    /// ProbCut: the depth from which it is tried, in plies.
    probcut_depth: 5, 3..=9, step 1;
    /// ProbCut: margin above beta, in centipawns.
    probcut_margin: 184, 80..=400, step 15;
    /// Quiescence: delta pruning margin, in centipawns.
    delta_margin: 400, 50..=1200, step 40;
    /// Aspiration: half-width of the first window, in centipawns.
    aspiration_delta: 22, 5..=80, step 5;
    /// Aspiration: the depth from which the window is narrow, in plies.
    aspiration_depth: 4, 2..=8, step 1;
    /// History: bonus of a cutoff a ply.
    history_bonus: 306, 50..=400, step 15;
    /// History: largest bonus.
    history_bonus_max: 1500, 500..=3000, step 100;
    /// Correction history: weight of the mean error of a pawn structure, in 256ths.
    correction_weight: 148, 0..=256, step 16;
    /// Correction history: weight of the mean error of a side's pieces, in 256ths.
    correction_pieces: 60, 0..=192, step 12;
    /// Correction history: weight of the mean error of the last two moves, in 256ths.
    correction_moves: 60, 0..=192, step 12;
    /// Time: share of the clock for the first move of a game, in thousandths.
    time_opening: 14, 5..=60, step 4;
    /// Time: share of the clock for a move from `time_moves` on, in thousandths.
    time_share: 45, 15..=90, step 4;
    /// Time: moves of the game until the share of the clock no longer grows.
    time_moves: 40, 10..=80, step 5;
    /// Time: share of the increment for a move, in hundredths.
    time_increment: 75, 30..=100, step 5;
    /// Time: hard limit of a move, in hundredths of its share.
    time_panic: 450, 150..=800, step 25;
}

impl Values {
    /// Sets a parameter by its name.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is outside of its bounds; nothing is changed.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), ParamError> {
        let parameter = parameter(name).ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
        let fitting = i32::try_from(value)
            .ok()
            .filter(|value| (parameter.min..=parameter.max).contains(value))
            .ok_or(ParamError::Range { parameter: *parameter, value })?;
        match self.by_name(parameter.name) {
            Some(place) => *place = fitting,
            None => unreachable!("the table and the struct come from one macro"),
        }
        Ok(())
    }
}

/// The parameter of this name, case-insensitive.
pub fn parameter(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name))
}

/// An export format of the table, for other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A list of mappings.
    Yaml,
    /// An array of objects.
    Json,
    /// OpenBench's `name, int, value, min, max, c_end, r_end`.
    OpenBench,
    /// weather-factory's `config.json`.
    WeatherFactory,
}

impl Format {
    /// Every format by its name on the command line.
    pub const ALL: [(&'static str, Format); 4] = [
        ("yaml", Format::Yaml),
        ("json", Format::Json),
        ("openbench", Format::OpenBench),
        ("weather-factory", Format::WeatherFactory),
    ];
}

/// The table as text.
pub struct Export(pub Format);

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<String> = PARAMETERS.iter().map(|parameter| row(parameter, self.0)).collect();
        match self.0 {
            Format::Yaml | Format::OpenBench => f.write_str(&rows.concat()),
            Format::Json => writeln!(f, "[\n{}\n]", rows.join(",\n")),
            Format::WeatherFactory => writeln!(f, "{{\n{}\n}}", rows.join(",\n")),
        }
    }
}

fn row(parameter: &Parameter, format: Format) -> String {
    let Parameter { name, about, default, min, max, step } = parameter;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match format {
        Format::Yaml => writeln!(
            text,
            "# {about}\n- {{ name: {name}, default: {default}, min: {min}, max: {max}, step: {step} }}"
        ),
        Format::Json => write!(
            text,
            "  {{\"name\": \"{name}\", \"default\": {default}, \"min\": {min}, \"max\": {max}, \"step\": {step}}}"
        ),
        // A step of c_end and OpenBench's usual learning rate.
        Format::OpenBench => writeln!(text, "{name}, int, {default}, {min}, {max}, {step}, 0.002"),
        Format::WeatherFactory => write!(
            text,
            "  \"{name}\": {{\"value\": {default}, \"min_value\": {min}, \"max_value\": {max}, \"step\": {step}}}"
        ),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_within_its_bounds_and_can_be_set() {
        assert!(PARAMETERS.len() >= 25);
        for parameter in PARAMETERS {
            let mut values = Values::default();
            assert!(parameter.step > 0 && !parameter.about.is_empty(), "{}", parameter.name);
            for value in [parameter.min, parameter.default, parameter.max] {
                values.set(parameter.name, value.into()).expect(parameter.name);
            }
            for value in [i64::from(parameter.min) - 1, i64::from(parameter.max) + 1, i64::MAX] {
                assert!(values.set(parameter.name, value).is_err(), "{}", parameter.name);
            }
            values.set(parameter.name, parameter.default.into()).expect(parameter.name);
            assert_eq!(values, Values::default());
        }
        assert!(Values::default().set("no_such", 1).is_err());
    }

    #[test]
    fn tuning_has_room_on_both_sides_of_every_default() {
        for Parameter { name, default, min, max, step, .. } in PARAMETERS {
            // Below 0 a margin or a share means nothing.
            assert!(default - min >= *step || *min == 0, "{name}: {default} is at {min}");
            assert!(max - default >= *step, "{name}: {default} is at {max}");
        }
    }

    #[test]
    fn every_export_names_every_parameter() {
        for (name, format) in Format::ALL {
            let text = Export(format).to_string();
            for parameter in PARAMETERS {
                assert!(text.contains(parameter.name), "{name}: {}", parameter.name);
            }
        }
    }
}
