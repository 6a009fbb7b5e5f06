//! Which instructions the decoder may use. All kernels compute the same.

/// A way to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Tables and words of 64 bits.
    Plain,
    /// x86-64 with PCLMULQDQ and AVX2.
    Clmul,
    /// x86-64 with AVX-512 (F, BW, DQ, VL, VBMI), VPCLMULQDQ and GFNI.
    Wide,
}

impl Kernel {
    /// All of them, the plainest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Clmul, Self::Wide];

    /// The fastest that this processor can run.
    pub fn best() -> Self {
        let usable = Self::ALL.into_iter().rev().find(|kernel| kernel.is_available());
        usable.unwrap_or(Self::Plain)
    }

    /// Whether this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            Self::Clmul => has_clmul(),
            Self::Wide => has_clmul() && has_wide(),
        }
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Clmul => "clmul",
            Self::Wide => "wide",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_clmul() -> bool {
    is_x86_feature_detected!("pclmulqdq") && is_x86_feature_detected!("avx2")
}

#[cfg(target_arch = "x86_64")]
fn has_wide() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("gfni")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_clmul() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_wide() -> bool {
    false
}
