use super::*;

/// The events of a text in short: `B` begins a game, `E` ends one, `E!` with something unclosed.
fn read(lexer: &mut Lexer<impl Read>) -> String {
    let mut words = Vec::new();
    while let Some(event) = lexer.next_event().expect("memory can be read") {
        words.push(match event {
            Event::Begin => "B".to_owned(),
            Event::Tag(tag) => format!("{}={}", decode(tag.name), tag.text()),
            Event::Move(word) => decode(word).into_owned(),
            Event::Nag(nag) => format!("${nag}"),
            Event::Glyphs(nags) => format!("g{:?}", nags.iter().collect::<Vec<u8>>()),
            Event::Comment(comment) => format!("{{{}}}", comment.text()),
            Event::VariationBegin => "(".to_owned(),
            Event::VariationEnd => ")".to_owned(),
            Event::Result(outcome) => format!("={outcome}"),
            Event::Unknown(word) => format!("?{}", decode(word)),
            Event::End { unclosed } => if unclosed { "E!" } else { "E" }.to_owned(),
        });
    }
    words.join(" ")
}

/// Gives a byte at a time.
struct Slowly<'a>(&'a [u8]);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
        self.0 = rest;
        buffer[0] = *first;
        Ok(1)
    }
}

fn events(text: &[u8]) -> String {
    let all = read(&mut Lexer::new(text));
    assert_eq!(read(&mut Lexer::new(Slowly(text))), all, "however it is read");
    all
}

#[test]
fn a_line_of_many_games_is_longer_than_any_tag() {
    let text = "[A \"x\"] [B \"y\"] 1. e4 * ".repeat(4_000);
    assert_eq!(events(text.as_bytes()), ["B A=x B=y e4 =* E"; 4_000].join(" "));
}

#[test]
fn a_game_ends_at_its_result_or_where_tags_begin() {
    for (text, wanted) in [
        ("", ""),
        ("\n \u{feff}\n\0", ""),
        ("1. e4 e5 1-0\n", "B e4 e5 =1-0 E"),
        ("[A \"x\"]\n\n1. e4 *\n", "B A=x e4 =* E"),
        // Blank lines, comments before the first move, and games of no moves.
        ("[A \"x\"]\n\n\n{ late\n\nand } \n\n1. e4\n\ne5\n\n*", "B A=x { late\n\nand } e4 e5 =* E"),
        ("[A \"x\"]\n\n\n0-1\n\n\n[A \"y\"]\n\n1. e4 *", "B A=x =0-1 E B A=y e4 =* E"),
        ("[A \"x\"]\n\n{forfeit}\n\n[A \"y\"]\n\n*", "B A=x {forfeit} E B A=y =* E"),
        ("[A \"x\"]\n\n[B \"y\"]\n\n1. e4", "B A=x B=y e4 E"),
        // Without a blank line, without a result, on one line, without tags.
        ("1. e4 *\n[A \"y\"]\n1. d4 *", "B e4 =* E B A=y d4 =* E"),
        ("1. e4 *[A \"y\"]\n1. d4 *", "B e4 =* E B A=y d4 =* E"),
        ("1. e4\n[A \"y\"]\n1. d4 *", "B e4 E B A=y d4 =* E"),
        ("1. e4 1-0 1. d4 0-1", "B e4 =1-0 E B d4 =0-1 E"),
        ("1. e4 e5\n\n1. d4 d5\n", "B e4 e5 E B d4 d5 E"),
        ("1. e4 e5\n\n2. d4 d5\n", "B e4 e5 d4 d5 E"),
        ("1. e4\n\n1... e5\n\n1. ... d5 *", "B e4 e5 d5 =* E"),
        ("[A \"x\"]\n\n% y\n% z\n[B \"y\"]\n% y\n\n*", "B A=x B=y =* E"),
        // Games of tags alone.
        ("[Event \"x\"]\n[A \"x\"]\n\n[Event \"y\"]", "B Event=x A=x E B Event=y E"),
        ("[A \"x\"]\n\n\n[B \"y\"]\n\n[A \"y\"]", "B A=x E B B=y A=y E"),
        ("1. e4 *\u{feff}[A \"y\"]\n*", "B e4 =* E B A=y =* E"),
        // What is said behind the result.
        (
            "1. e4 1-0 {resigns} $14 ; so\n\n{next} 1. d4 *",
            "B e4 =1-0 {resigns} $14 { so} E B {next} d4 =* E",
        ),
        // A comment before the tags is one of their game.
        ("{ made by x }\n\n[A \"x\"]\n[B \"y\"]\n\n1. e4 *", "B { made by x } A=x B=y e4 =* E"),
        ("; made by x\n[A \"x\"]\n; more\n[B \"y\"]\n\n*", "B { made by x} A=x { more} B=y =* E"),
        ("\u{feff}[A \"x\"]\n*", "B A=x =* E"),
        // And one among them, unless they begin again behind it.
        ("[A \"x\"] {c}\n[B \"y\"] ; d\n[C \"z\"]\n\n*", "B A=x {c} B=y { d} C=z =* E"),
        ("[Event \"x\"]\n{c}\n[Event \"y\"]\n*", "B Event=x {c} E B Event=y =* E"),
        // The end of a file of DOS.
        ("1. e4 *\n\u{1a}", "B e4 =* E"),
        ("1. e4\u{1a}", "B e4 E"),
        // Brackets before the tags.
        ("[x\n[A \"x\"]\n*", "B ?[x E B A=x =* E"),
    ] {
        assert_eq!(events(text.as_bytes()), wanted, "{text}");
    }
}

#[test]
fn line_ends_of_all_systems_are_the_same() {
    let text =
        "% a {\n[A \"x\"]\n\n1. e4 ; a {\n% {\n e5 {b\nc} *\n\n[A \"y\"]\n\n1. d4\n\n1. c4 *\n";
    let wanted = "B A=x e4 { a {} e5 {b\nc} =* E B A=y d4 E B c4 =* E";
    for end in ["\n", "\r\n", "\r"] {
        let text = text.replace('\n', end);
        assert_eq!(events(text.as_bytes()), wanted.replace('\n', end), "{end:?}");
        let mut lexer = Lexer::new(text.as_bytes());
        let mut lines = Vec::new();
        while let Some(event) = lexer.next_event().expect("read") {
            if matches!(event, Event::Begin | Event::Result(_)) {
                lines.push(lexer.line());
            }
        }
        assert_eq!(lines, [2, 7, 9, 13, 13], "{end:?}");
    }
}

#[test]
fn comments_and_escaped_lines_hide_what_is_in_them() {
    for (text, wanted) in [
        ("{a {b} c", "B {a {b} c E"),
        ("1. e4 {(} e5 {)} *", "B e4 {(} e5 {)} =* E"),
        ("1. e4 {a\n[A \"x\"]\nb} e5 *", "B e4 {a\n[A \"x\"]\nb} e5 =* E"),
        ("1. e4 ; { [A \"x\"]\ne5 *", "B e4 { { [A \"x\"]} e5 =* E"),
        ("1. e4 {}{} e5 *", "B e4 {} {} e5 =* E"),
        ("1. e4 {open\n\n[A \"x\"]\n1. d4", "B e4 {open\n\n[A \"x\"]\n1. d4} E!"),
        ("1. e4 {", "B e4 {} E!"),
        ("1. e4 ;", "B e4 {} E"),
        ("% [A \"x\"]\n1. e4\n%1-0\n e5 % *", "B e4 e5 % =* E"),
        ("%only", ""),
    ] {
        assert_eq!(events(text.as_bytes()), wanted, "{text}");
    }
}

#[test]
fn variations_are_nested_and_can_be_left_out() {
    for (text, all, main) in [
        (
            "1. e4 (1. d4 (1. c4) 1... d5 1-0) 1... e5 *",
            "B e4 ( d4 ( c4 ) d5 ) e5 =* E",
            "B e4 e5 =* E",
        ),
        ("1. e4 ) e5 *", "B e4 e5 =* E", "B e4 e5 =* E"),
        ("1. e4 (1. d4 {x}", "B e4 ( d4 {x} E!", "B e4 E!"),
        ("1. e4 (1. d4\n[A \"x\"]\n*", "B e4 ( d4 E! B A=x =* E", "B e4 E! B A=x =* E"),
        ("1. e4 1-0 (1. d4)", "B e4 =1-0 ( d4 ) E", "B e4 =1-0 E"),
    ] {
        assert_eq!(events(text.as_bytes()), all, "{text}");
        assert_eq!(read(&mut Lexer::new(text.as_bytes()).main_line()), main, "{text}");
    }
    let deep = "(".repeat(100_000);
    assert!(events(deep.as_bytes()).ends_with(" ( E!"));
}

#[test]
fn words_are_given_as_they_are_written() {
    for (text, wanted) in [
        ("1.e4e5 2...Nf6", "B e4e5 Nf6 E"),
        ("1.e4 1... e5 2. ... Nc6 3\u{2026} 4.Nf3Nc6", "B e4 e5 Nc6 Nf3Nc6 E"),
        ("1 e4 e5 2 Nf3", "B e4 e5 Nf3 E"),
        ("1. e4\u{a0}e5 2.\tNf3\u{b}Nc6", "B e4 e5 Nf3 Nc6 E"),
        ("1. e4! $2 e5 ±!? $99999 +/- N", "B e4! $2 e5 g[16, 5] $65535 g[16] g[146] E"),
        ("1. exd6 e.p. Qh4 mate", "B exd6 g[] Qh4 g[] E"),
        ("1. e4 rubbish ] x } y $ z < > [%eval 3]", "B e4 rubbish ?]x ?}y ?$z < > ?[%eval ?] E"),
        ("[A] \n[B 'x']\n[C y z]\n\n1. e4", "B ?[A] B='x' C=y z e4 E"),
        ("0-0 0-0-0 -- Z0 @@@@ 0000 O-O+", "B 0-0 0-0-0 -- Z0 @@@@ 0000 O-O+ E"),
        ("a8(Q) (a8=Q)", "B a8(Q) ( a8=Q ) E"),
        ("e4*", "B e4 =* E"),
        ("1/2-1/2 ½-½ 1/2", "B =1/2-1/2 E B =1/2-1/2 E B =1/2-1/2 E"),
    ] {
        let wanted = wanted.replace("?]x", "?] x").replace("?}y", "?} y").replace("?$z", "?$ z");
        assert_eq!(events(text.as_bytes()), wanted, "{text}");
    }
}

#[test]
fn memory_is_bounded_and_what_is_cut_says_so() {
    let text = format!(
        "[A \"{}\"]\n{{{}}} 1. e4 {} e5 *",
        "x".repeat(200_000),
        "y".repeat(3 << 20),
        "z".repeat(70_000)
    );
    let mut lexer = Lexer::new(text.as_bytes());
    let mut seen = Vec::new();
    while let Some(event) = lexer.next_event().expect("read") {
        match event {
            Event::Tag(tag) => seen.push((tag.value.len(), tag.cut)),
            Event::Comment(comment) => seen.push((comment.bytes.len(), comment.cut)),
            Event::Unknown(word) => seen.push((word.len(), true)),
            Event::Move(word) => seen.push((word.len(), false)),
            _ => {}
        }
    }
    let tag = tag::MAX_TAG_BYTES - "[A \"".len();
    let wanted =
        [(tag, true), (MAX_COMMENT_BYTES, true), (2, false), (MAX_WORD_BYTES, true), (2, false)];
    assert_eq!(seen, wanted);
    assert_eq!(lexer.offset(), text.len() as u64);
    assert_eq!(lexer.line(), 2);
    let blanks = " ".repeat(1 << 20);
    assert_eq!(events(format!("1. e4{blanks}e5{blanks}*").as_bytes()), "B e4 e5 =* E");
}

#[test]
fn games_begin_and_end_at_their_bytes() {
    let text = "\u{feff}% x\n[A \"x\"]\n\n1. e4 *\n\n  [A \"y\"]\n\n1. d4 *\n";
    let mut lexer = Lexer::within(text.as_bytes(), 100, 10);
    let mut places = Vec::new();
    while let Some(event) = lexer.next_event().expect("read") {
        if matches!(event, Event::Begin | Event::End { .. }) {
            places.push((lexer.offset() - 100, lexer.line()));
        }
    }
    let second = text.rfind("[A").expect("there") as u64;
    assert_eq!(places, [(7, 12), (second, 16), (second, 16), (text.len() as u64, 19)]);
}
