//! OpenBench's and fishtest's lines.

use super::{ErrorAt, Imported, Row};
use crate::space::Scale;

/// `name, int, value, min, max, c_end, r_end`.
pub fn openbench(text: &str) -> Result<Imported, ErrorAt> {
    rows(text, true)
}

/// `name,value,min,max,c_end,r_end`; all parameters are whole numbers.
pub fn fishtest(text: &str) -> Result<Imported, ErrorAt> {
    rows(text, false)
}

/// One parameter a line, with or without its kind.
fn rows(text: &str, has_kind: bool) -> Result<Imported, ErrorAt> {
    const FORM: &str = "expected name, int or float, value, min, max, c_end, r_end";
    let mut parameters = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!(":{}", index + 1);
        let wrong = |reason: String| (place.clone(), reason);
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let (name, numbers) = match (has_kind, &fields[..]) {
            (true, [name, "int" | "float", numbers @ ..]) | (false, [name, numbers @ ..]) => {
                (*name, numbers)
            }
            (true, [_, kind, _, ..]) => {
                return Err(wrong(format!("`{kind}` is neither int nor float; {FORM}")));
            }
            _ => return Err(wrong(FORM.to_owned())),
        };
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
