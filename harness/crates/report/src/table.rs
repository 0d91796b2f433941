//! Tables for the terminal.

use comfy_table::presets::UTF8_NO_BORDERS;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table};

use harness_base::output::visible;

/// Width of all text output, in columns.
pub const WIDTH: u16 = 100;

/// A table; columns from `right_from` on are aligned right.
pub fn table<S: Into<String>>(
    header: impl IntoIterator<Item = S>,
    rows: impl IntoIterator<Item = Vec<String>>,
    right_from: usize,
) -> String {
    let mut table = Table::new();
    table
        .load_style(UTF8_NO_BORDERS.row_separator(LineStyle::none()))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .force_no_tty()
        .set_header(header.into_iter().map(Into::into))
        // Before widths are measured.
        .add_rows(rows.into_iter().map(|row| row.into_iter().map(|cell| visible(&cell))));
    for column in table.column_iter_mut().skip(right_from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt() + "\n"
}

/// Breaks a paragraph between words at [`WIDTH`] columns; ends with a line end.
pub fn wrap(text: &str) -> String {
    wrap_indented(text, 0)
}

/// As [`wrap`], with all lines but the first indented by this many columns.
pub fn wrap_indented(text: &str, indent: usize) -> String {
    let text_begins = text.len() - text.trim_start_matches(' ').len();
    let mut lines = text[..text_begins].to_owned();
    let mut column = text_begins;
    let mut is_first = true;
    for word in text[text_begins..].split(' ') {
        let width = word.chars().count();
        if column > indent && column + 1 + width > usize::from(WIDTH) {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if !is_first {
            lines.push(' ');
            column += 1;
        }
        is_first = false;
        lines.push_str(word);
        column += width;
    }
    lines.push('\n');
    lines
}
