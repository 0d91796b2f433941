use super::*;

fn only(tool: Tool, text: &str) -> Row {
    let mut imported = parse(tool, text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
    assert_eq!(imported.parameters.len(), 1, "{text}");
    imported.parameters.remove(0)
}

#[test]
fn each_tool_is_understood_with_its_comments() {
    for (tool, text, start, range, step, scale) in [
        (
            Tool::Openbench,
            "# the margins\n\n// of pruning\nlmr, int, 75, 0, 200, 10.5, 0.002\n",
            Some(75.0),
            (0.0, 200.0),
            Some(10.5),
            Scale::Linear,
        ),
        (
            Tool::Fishtest,
            "lmr,75,0,200,10,0.002\n",
            Some(75.0),
            (0.0, 200.0),
            Some(10.0),
            Scale::Linear,
        ),
        (
            Tool::WeatherFactory,
            "// tuned in May\n{\"lmr\": {\"value\": 75, \"min_value\": 0, \"max_value\": 200, \"step\": 8}}",
            Some(75.0),
            (0.0, 200.0),
            Some(8.0),
            Scale::Linear,
        ),
        (
            Tool::WeatherFactory,
            r#"{"t": 32, "uci_params": [{"name": "lmr", "value": 75.4, "min_value": 0,
                "max_value": 200, "step": 8}]}"#,
            Some(75.0),
            (0.0, 200.0),
            Some(8.0),
            Scale::Linear,
        ),
        (
            Tool::ChessTuningTools,
            r#"{"parameter_ranges": {"lmr": "Real(0.5, 2.5)"}}"#,
            None,
            (0.5, 2.5),
            None,
            Scale::Linear,
        ),
        (
            Tool::ChessTuningTools,
            r#"{"parameter_ranges": {"lmr": "Integer(1, 9, prior=log-uniform)"}}"#,
            None,
            (1.0, 9.0),
            None,
            Scale::Log,
        ),
        (
            Tool::ChessTuningTools,
            r#"{"parameter_ranges": {"lmr": [1, 9]}}"#,
            None,
            (1.0, 9.0),
            None,
            Scale::Linear,
        ),
        (
            Tool::Lakas,
            ":: --input-param \"{'old': 1}\"\npython lakas.py ^\n  --input-param \"{'lmr': {'init':5, \
             'lower':-1, 'upper':9}}\"\n",
            Some(5.0),
            (-1.0, 9.0),
            None,
            Scale::Linear,
        ),
    ] {
        let row = only(tool, text);
        assert_eq!(row.name, "lmr", "{text}");
        assert_eq!((row.start, (row.min, row.max), row.step), (start, range, step), "{text}");
        assert_eq!(row.scale, scale, "{text}");
    }
}

#[test]
fn how_games_are_played_is_taken_over_where_the_file_says_it() {
    let (draw, resign) = (
        |score, moves, from| Some(DrawOffer { score, moves, from }),
        |score, moves, two_sided| Some(Resign { score, moves, two_sided }),
    );
    let text = r#"{
        "engines": [{"command": "a", "fixed_parameters": {"Threads": 2, "Use NNUE": true}},
                    {"command": "b"}],
        "parameter_ranges": {"x": "Integer(0, 9)"},
        "engine1_tc": "1+0.1", "engine2_npm": 1000, "opening_file": "openings.pgn",
        "adjudicate_draws": true, "draw_movenumber": 5, "draw_score": 9,
        "adjudicate_resign": true, "resign_twosided": true,
        "adjudicate_tb": true, "tb_path": "/syzygy"
    }"#;
    let taken = parse(Tool::ChessTuningTools, text).expect("readable");
    assert_eq!(taken.limit, Some("tc=1+0.1".parse().expect("a limit")));
    let options: Vec<_> = taken.options.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(options, [("Threads", "2"), ("Use NNUE", "true")]);
    assert_eq!(taken.openings, Some("openings.pgn".into()));
    assert_eq!((taken.draw, taken.resign), (draw(9, 10, 5), resign(550, 3, true)));
    assert_eq!(taken.tb.as_deref(), Some("/syzygy"));
    assert!(taken.notes[0].contains("second engine"), "{:?}", taken.notes);

    for (key, limit) in [
        ("\"engine1_st\": 0.5", "movetime=500ms"),
        ("\"engine1_npm\": \"700\"", "nodes=700"),
        ("\"engine1_depth\": 8", "depth=8"),
    ] {
        let text = format!("{{\"parameter_ranges\": {{\"x\": \"(0, 9)\"}}, {key}}}");
        let taken = parse(Tool::ChessTuningTools, &text).expect("readable");
        assert_eq!(taken.limit, Some(limit.parse().expect("a limit")), "{key}");
        assert_eq!((taken.draw, taken.resign), (None, None));
    }

    let lakas = |flags: &str| {
        let text =
            format!("lakas {flags} --input-param=\"{{'x': {{'init':1,'lower':0,'upper':9}}}}\"");
        parse(Tool::Lakas, &text).expect("readable")
    };
    let taken = lakas(
        "--base-time-sec 5 --inc-time-sec 0.05 --common-param \"{'Hash': 64}\" --opening-file \
         ./start/a.epd --use-best-param",
    );
    assert_eq!(taken.limit, Some("tc=5+0.05".parse().expect("a limit")));
    assert_eq!(taken.options["Hash"], "64");
    assert_eq!(taken.openings, Some("./start/a.epd".into()));
    assert_eq!((taken.draw, taken.resign), (draw(1, 6, 30), resign(700, 6, true)));
    assert_eq!(lakas("--depth 6").limit, Some(Limit::Depth(6)));
    let clock = "--base-time-sec 2 --inc-time-sec 0.05";
    for (flags, limit) in
        [("", "tc=2+0.05"), (" --depth 1000", "tc=2+0.05"), (" --depth 6", "tc=2+0.05,depth=6")]
    {
        assert_eq!(lakas(&format!("{clock}{flags}")).limit, limit.parse().ok(), "{flags}");
    }
    assert_eq!(lakas("--nodes 600").limit, Some(Limit::Nodes(600)));

    let folder = tempfile::tempdir().expect("temporary folder");
    let config = folder.path().join("config.json");
    std::fs::write(&config, r#"{"x": {"value": 5, "min_value": 0, "max_value": 9, "step": 1}}"#)
        .expect("written");
    let alone = read(Tool::WeatherFactory, &config).expect("readable");
    assert_eq!(alone.limit, None);
    assert!(alone.notes[0].contains("cutechess.json"), "{:?}", alone.notes);
    let games = r#"{"engine": "e", "book": "b.epd", "games": 16, "tc": 5, "hash": 32}"#;
    std::fs::write(folder.path().join("cutechess.json"), games).expect("written");
    let taken = read(Tool::WeatherFactory, &config).expect("readable");
    assert_eq!(taken.limit, Some("tc=5+0.05".parse().expect("a limit")));
    assert_eq!(taken.options["Hash"], "32");
    assert_eq!(taken.openings, Some("tuner/b.epd".into()));
    assert_eq!((taken.draw, taken.resign), (draw(10, 8, 40), resign(400, 3, false)));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (tool, text, place, reason) in [
        (Tool::Openbench, "a, int, 1, 0, 2, 1, 1\n#\nb, int, x, 0, 2, 1, 1", ":3", "`x`"),
        (Tool::Openbench, "a, text, 1, 0, 2, 1, 1", ":1", "neither int nor float"),
        (Tool::Openbench, "a, int, 1, 0, 2", ":1", "five numbers"),
        (Tool::Fishtest, "a,1,0,2,1", ":1", "five numbers"),
        (Tool::Fishtest, "a,1,0,inf,1,1", ":1", "`inf`"),
        (Tool::WeatherFactory, r#"{"a": {"value": 1}}"#, ", parameter `a`", "min_value"),
        (Tool::ChessTuningTools, "{", ":1:1", "EOF"),
        (Tool::ChessTuningTools, r#"{"parameter_ranges": {"a": 7}}"#, ", parameter `a`", "7"),
        (
            Tool::ChessTuningTools,
            r#"{"parameter_ranges": {"a": "(1, 2, 4)"}}"#,
            ", parameter `a`",
            "a choice",
        ),
        (
            Tool::ChessTuningTools,
            r#"{"parameter_ranges": {"a": {"b": "(1, 2)"}}}"#,
            ", parameter `a`",
            "nested",
        ),
        (Tool::Lakas, "python lakas.py --budget 5", "", "no command"),
        (Tool::Lakas, "# one\nx --input-param \"{'a': [1, 2]}\"", ":2, parameter `a`", "a choice"),
        (Tool::Lakas, "x --input-param \"{'a': {'init': 1}}\"", ":1, parameter `a`", "`lower`"),
        (Tool::Lakas, "x --input-param [", ":1", "no mapping"),
        (Tool::Openbench, "# nothing\n", "", "no parameter"),
    ] {
        let wrong = parse(tool, text).expect_err(text);
        assert_eq!(wrong.0, place, "{text}");
        assert!(wrong.1.contains(reason), "{text}: {}", wrong.1);
    }
}
