//! Tables for the terminal.

use comfy_table::presets::UTF8_NO_BORDERS;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table};

use crate::output::visible;

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
