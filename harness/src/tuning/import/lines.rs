//! OpenBench's and fishtest's lines.

use super::{ErrorAt, Imported, Row};
use crate::tuning::space::Scale;

/// `name, int, value, min, max, c_end, r_end`.
pub fn openbench(text: &str) -> Result<Imported, ErrorAt> {
    const FORM: &str = "name, int or float, value, min, max, c_end, r_end";
    rows(text, |fields| match fields {
        [name, "int" | "float", numbers @ ..] => Ok((*name, numbers)),
        [_, kind, _, ..] => Err(format!("`{kind}` is neither int nor float; expected {FORM}")),
        _ => Err(format!("expected {FORM}")),
    })
}

/// `name,value,min,max,c_end,r_end`; all parameters are whole numbers.
pub fn fishtest(text: &str) -> Result<Imported, ErrorAt> {
    rows(text, |fields| match fields {
        [name, numbers @ ..] => Ok((*name, numbers)),
        [] => Err("expected name,value,min,max,c_end,r_end".to_owned()),
    })
}

/// One parameter a line: `split` takes the name off, and leaves value, min, max, c_end, r_end.
fn rows<'a>(
    text: &'a str,
    split: impl for<'b> Fn(&'b [&'a str]) -> Result<(&'a str, &'b [&'a str]), String>,
) -> Result<Imported, ErrorAt> {
    let mut parameters = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!(":{}", index + 1);
        let wrong = |reason: String| (place.clone(), reason);
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let (name, numbers) = split(&fields).map_err(wrong)?;
        let number = |text: &&str| {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| wrong(format!("`{text}` is not a number")))
        };
        let numbers: Vec<f64> = numbers.iter().map(number).collect::<Result<_, _>>()?;
        let [start, min, max, c_end, _r_end] = numbers[..] else {
            let reason = "expected five numbers: value, min, max, c_end, r_end";
            return Err(wrong(reason.to_owned()));
        };
        parameters.push(Row {
            name: name.to_owned(),
            place: place.clone(),
            start: Some(start),
            min,
            max,
            step: Some(c_end),
            scale: Scale::Linear,
        });
    }
    Ok(Imported { parameters, ..Imported::default() })
}
