//! Features of this processor that programs may be compiled for.

/// The architecture of the processor, and those of its features that compilers use: programs built for a
/// processor with the same ones run here.
pub fn processor_features() -> String {
    let mut words = vec![std::env::consts::ARCH];
    macro_rules! note {
        ($detected:ident: $($feature:tt)+) => {
            $( if std::arch::$detected!($feature) { words.push($feature); } )+
        };
    }
    #[cfg(target_arch = "x86_64")]
    note!(is_x86_feature_detected: "sse3" "ssse3" "sse4.1" "sse4.2" "sse4a" "popcnt" "lzcnt" "bmi1" "bmi2"
        "avx" "avx2" "fma" "f16c" "aes" "pclmulqdq" "vaes" "vpclmulqdq" "sha" "gfni" "adx" "movbe"
        "rdrand" "rdseed" "avx512f" "avx512cd" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi"
        "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512ifma" "avx512bf16"
        "avx512fp16");
    #[cfg(target_arch = "aarch64")]
    note!(is_aarch64_feature_detected: "neon" "aes" "sha2" "sha3" "crc" "lse" "dotprod" "i8mm" "bf16"
        "fp16" "sve" "sve2");
    words.join(" ")
}
