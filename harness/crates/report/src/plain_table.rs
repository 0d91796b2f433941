//! Tables without borders, for results with long cells.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use super::table::WIDTH;

const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// Appends a table and a blank line.
pub fn push(text: &mut String, table: &Table) {
    text.push_str(&table.trim_fmt());
    text.push_str("\n\n");
}

/// An empty table; the columns from `right_from` on are aligned right.
pub fn table(header: Vec<String>, right_from: usize) -> Table {
    let columns = header.len();
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .force_no_tty()
        .set_header(header);
    for column in right_from..columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The cells of a row.
pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}
