//! How this program was built, and the processor that it runs on.

/// The commit of the sources; `None` where they were in no git repository, and in debug builds.
pub const COMMIT: Option<&str> = option_env!("TENCH_COMMIT");

/// The cargo features that this program was built with.
pub const FEATURES: &[&str] = if cfg!(feature = "portable") { &["portable"] } else { &[] };

/// Version, commit, features, target and processor, as `harness --version` prints them.
pub fn description() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let commit = COMMIT.map_or(String::new(), |commit| format!(" ({commit})"));
    let profile = if cfg!(debug_assertions) { ", debug build" } else { "" };
    let arch = std::env::consts::ARCH;
    let os = std::env::consts::OS;
    let features = if FEATURES.is_empty() { "none".to_owned() } else { FEATURES.join(", ") };
    format!(
        "{version}{commit}{profile}\nfeatures: {features}\nbuilt for {arch} {os}{}\nthis processor \
         has {}",
        at_least(),
        processor().join(", ")
    )
}

/// Features that every processor must have to run the program.
fn at_least() -> &'static str {
    if cfg!(target_feature = "avx2") {
        ", with AVX2"
    } else if cfg!(target_feature = "sse4.2") {
        ", with SSE4.2 and POPCNT"
    } else {
        ""
    }
}

/// The vector instructions of this processor that networks and trainer can use.
#[cfg(target_arch = "x86_64")]
fn processor() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as has;

    let known = [
        ("SSE4.2", has!("sse4.2")),
        ("POPCNT", has!("popcnt")),
        ("AVX2", has!("avx2")),
        ("BMI2", has!("bmi2")),
        ("FMA", has!("fma")),
        ("AVX-512F", has!("avx512f")),
        ("AVX-512BW", has!("avx512bw")),
        ("AVX-512VNNI", has!("avx512vnni")),
    ];
    known.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
}

/// No vector instructions but those of every such processor are used.
#[cfg(not(target_arch = "x86_64"))]
fn processor() -> Vec<&'static str> {
    vec!["what every processor of its kind has"]
}
