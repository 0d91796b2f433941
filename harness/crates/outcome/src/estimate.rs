//! A number with its confidence interval.

use std::fmt;

use serde::{Deserialize, Serialize};

use harness_stats::{Elo, Method, NormalizedElo, signed};

/// A number with its 95 % interval; `None` where it does not exist (no games, or nothing but
/// wins).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: Option<f64>,
    /// Half-width of its 95 % interval.
    pub error95: Option<f64>,
    /// Lower end of the interval; unknown where only the half-width was kept.
    #[serde(default)]
    pub low95: Option<f64>,
    /// Upper end of the interval.
    #[serde(default)]
    pub high95: Option<f64>,
    /// How the interval was computed, where it is one of the statistics of counts.
    #[serde(default)]
    pub method: Option<Method>,
    /// Of a normalized Elo: the value that other runners print, with the spread of the counts
    /// themselves, where `value` is from a regularised spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<f64>,
}

impl Estimate {
    /// A value with a symmetric interval. Infinite ends are dropped, and values below a billionth
    /// are zero up to rounding.
    pub fn new(value: f64, error95: f64) -> Estimate {
        Estimate::with_ends([value, error95, value - error95, value + error95], None)
    }

    fn with_ends(numbers: [f64; 4], method: Option<Method>) -> Estimate {
        let exact = |number: f64| if number.abs() < 1e-9 { 0.0 } else { number };
        let finite = |number: f64| number.is_finite().then_some(exact(number));
        let [value, error95, low95, high95] = numbers.map(finite);
        Estimate { value, error95, low95, high95, method, plain: None }
    }

    /// Both ends of the 95 % interval.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let value = self.value?;
        let ends = self.low95.zip(self.high95).map(|(low, high)| [low, high]);
        ends.or_else(|| self.error95.map(|error| [value - error, value + error]))
    }

    /// The value that other runners print, where it is another one.
    pub fn plain_beside(&self) -> Option<f64> {
        self.plain.filter(|_| self.method == Some(Method::Dirichlet))
    }

    /// Whether the interval is asymmetric, as after few games, and shown by its two ends.
    pub fn is_skewed(&self) -> bool {
        self.method == Some(Method::Dirichlet)
    }
}

impl From<Option<Elo>> for Estimate {
    fn from(elo: Option<Elo>) -> Estimate {
        elo.map_or_else(Estimate::default, |elo| {
            let Elo { value, error95, low95, high95, method } = elo;
            Estimate::with_ends([value, error95, low95, high95], Some(method))
        })
    }
}

impl From<Option<NormalizedElo>> for Estimate {
    fn from(nelo: Option<NormalizedElo>) -> Estimate {
        nelo.map_or_else(Estimate::default, |nelo| {
            let NormalizedElo { value, error95, low95, high95, method, plain } = nelo;
            let plain = Some(plain).filter(|plain| plain.is_finite());
            Estimate { plain, ..Estimate::with_ends([value, error95, low95, high95], Some(method)) }
        })
    }
}

impl fmt::Display for Estimate {
    /// `25.11 +- 10.33`, or `25.11 [-40.10, 95.00]` where the interval is not symmetric; with the
    /// precision asked for (2 digits by default), and never `-0.00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        let text = |number: Option<f64>| {
            number.map_or_else(|| "?".to_owned(), |number| signed(number, digits))
        };
        match self.interval() {
            Some([low, high]) if self.is_skewed() => {
                let [low, high] = [low, high].map(|end| signed(end, digits));
                write!(f, "{} [{low}, {high}]", text(self.value))
            }
            _ => write!(f, "{} +- {}", text(self.value), text(self.error95)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_stats::Pentanomial;

    #[test]
    fn an_estimate_without_end_is_unknown() {
        assert_eq!(Estimate::new(f64::INFINITY, f64::NAN), Estimate::default());
        assert_eq!(Estimate::new(-7.7e-14, 3.4).to_string(), "0.00 +- 3.40");
        assert_eq!(Estimate::new(25.114, 10.0).to_string(), "25.11 +- 10.00");
        assert_eq!(Estimate::new(-0.004, 10.0).to_string(), "0.00 +- 10.00");
    }

    #[test]
    fn an_interval_of_few_games_is_told_by_its_ends_and_an_older_summary_is_still_read() {
        let few: Estimate = Elo::from_counts(&Pentanomial([0, 0, 1, 0, 3])).ok().into();
        let text = format!("{few:.0}");
        assert!(text.starts_with("337 [") && text.ends_with(']'), "{text}");
        let old: Estimate = serde_json::from_str(r#"{"value":12.5,"error95":8.0}"#).expect("read");
        assert_eq!((old.interval(), old.to_string()), (Some([4.5, 20.5]), "12.50 +- 8.00".into()));
    }
}
