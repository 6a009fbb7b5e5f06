//! Which instructions the processor has. Every path computes the same; only the time differs.

/// A set of instructions that code here was compiled for besides the plain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// What every processor of the architecture has.
    Plain,
    /// x86-64 with AVX2, BMI1 and BMI2.
    Avx2,
    /// … and AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Isa {
    /// All of them, the plainest first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Avx2, Self::Avx512];

    /// The best that this processor can run.
    pub fn best() -> Self {
        let usable = Self::ALL.into_iter().rev().find(|isa| isa.is_available());
        usable.unwrap_or(Self::Plain)
    }

    /// Whether this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            Self::Avx2 => has_avx2(),
            Self::Avx512 => has_avx2() && has_avx512(),
        }
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// Declares a function that takes an [`Isa`] and then the arguments of an existing one, whose
/// `#[inline(always)]` body is compiled once for each set of instructions. A set that the processor
/// lacks falls back to the plain one.
macro_rules! for_each_isa {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name(isa: $crate::cpu::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $ty),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                #[target_feature(
                    enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512bw,avx512dq,avx512vl"
                )]
                #[allow(clippy::too_many_arguments)]
                fn avx512($($arg: $ty),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                use $crate::cpu::Isa;
                if isa == Isa::Avx512 && isa.is_available() {
                    // SAFETY: the processor has these instructions.
                    return unsafe { avx512($($arg),*) };
                }
                if isa != Isa::Plain && Isa::Avx2.is_available() {
                    // SAFETY: the processor has these instructions.
                    return unsafe { avx2($($arg),*) };
                }
            }
            let _ = isa; // the only set on other architectures
            $body($($arg),*)
        }
    };
}
pub(crate) use for_each_isa;

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_can_be_run_and_plain_always() {
        assert!(Isa::Plain.is_available());
        assert!(Isa::best().is_available());
    }
}
