//! 512 elements of GF(2^M) at a time, bit k of all of them in plane k.

use super::vector::Vector;
use crate::ecc::field::Field;

/// One bit of 512 elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct Plane(pub [u64; 8]);

/// 512 elements.
pub type Planes<const M: usize> = [Plane; M];

/// Elements in a [`Planes`].
pub const LANES: usize = 512;

/// Planes of the largest field, and of a product of two of its elements.
const MOST: usize = 16;

impl Plane {
    /// Zeros.
    pub const NONE: Self = Self([0; 8]);
}

/// The elements `element(0)`, `element(1)`, ….
pub fn gather<const M: usize>(element: impl Fn(usize) -> u16) -> Planes<M> {
    let mut planes = [Plane::NONE; M];
    for lane in 0..LANES {
        let value = element(lane);
        for (bit, plane) in planes.iter_mut().enumerate() {
            plane.0[lane / 64] |= u64::from(value >> bit & 1) << (lane % 64);
        }
    }
    planes
}

/// The lanes whose element is zero.
#[inline(always)]
pub fn zeros<const M: usize>(planes: &Planes<M>) -> [u64; 8] {
    std::array::from_fn(|word| !planes.iter().fold(0, |any, plane| any | plane.0[word]))
}

/// Butterflies: each of `lower` grows by `twiddle` times its partner in `upper`, which then grows
/// by what came out.
#[inline(always)]
pub fn butterflies<const M: usize, V: Vector>(
    lower: &mut [Planes<M>],
    upper: &mut [Planes<M>],
    twiddle: &Planes<M>,
) {
    for part in 0..LANES / V::BITS {
        let twiddle = load::<M, V>(twiddle, part);
        for (lower, upper) in lower.iter_mut().zip(upper.iter_mut()) {
            let b = load(upper, part);
            let product = product::<M, V>(&twiddle, &b);
            for k in 0..M {
                let a = V::load(&lower[k].0, part).xor(product[k]);
                a.store(&mut lower[k].0, part);
                a.xor(b[k]).store(&mut upper[k].0, part);
            }
        }
    }
}

/// Every element becomes `value`.
#[inline(always)]
pub fn fill<const M: usize, V: Vector>(planes: &mut Planes<M>, value: u16) {
    for (k, plane) in planes.iter_mut().enumerate() {
        let bit: V = splat(value, k);
        for part in 0..LANES / V::BITS {
            bit.store(&mut plane.0, part);
        }
    }
}

/// Bit `k` of `value`, again and again.
#[inline(always)]
fn splat<V: Vector>(value: u16, k: usize) -> V {
    V::splat(u64::from(value >> k & 1).wrapping_neg())
}

/// `sum += factor · b`, with one factor for all.
#[inline(always)]
pub fn add_multiple<const M: usize, V: Vector>(sum: &mut Planes<M>, factor: u16, b: &Planes<M>) {
    let mut every = [V::NONE; MOST];
    for (k, bit) in every.iter_mut().enumerate().take(M) {
        *bit = splat(factor, k);
    }
    for part in 0..LANES / V::BITS {
        let product = product::<M, V>(&every, &load(b, part));
        for k in 0..M {
            V::load(&sum[k].0, part).xor(product[k]).store(&mut sum[k].0, part);
        }
    }
}

#[inline(always)]
fn load<const M: usize, V: Vector>(planes: &Planes<M>, part: usize) -> [V; MOST] {
    let mut loaded = [V::NONE; MOST];
    for k in 0..M {
        loaded[k] = V::load(&planes[k].0, part);
    }
    loaded
}

/// Repeats a block with `$i` as a constant: what the optimiser may unroll or not, this always does,
/// and only then do the arrays of vectors become registers.
macro_rules! unrolled {
    ($i:ident in [$($value:literal)*] $body:block) => {
        $({
            const $i: usize = $value;
            $body
        })*
    };
}

/// The elementwise product, by one step of Karatsuba's (Doklady Akad. Nauk SSSR 145, 1962).
#[inline(always)]
fn product<const M: usize, V: Vector>(a: &[V; MOST], b: &[V; MOST]) -> [V; 2 * MOST] {
    let half = const { M.div_ceil(2) };
    let (mut a_sum, mut b_sum) = ([V::NONE; MOST], [V::NONE; MOST]);
    for k in 0..half {
        let upper = |x: &[V; MOST]| if half + k < M { x[half + k] } else { V::NONE };
        a_sum[k] = a[k].xor(upper(a));
        b_sum[k] = b[k].xor(upper(b));
    }
    let low = half_product::<V>(half, a, b, 0);
    let high = half_product::<V>(M - half, a, b, half);
    let middle = half_product::<V>(half, &a_sum, &b_sum, 0);
    let mut product = [V::NONE; 2 * MOST];
    for k in 0..2 * half - 1 {
        let high = if k < 2 * (M - half) - 1 { high[k] } else { V::NONE };
        product[k] = product[k].xor(low[k]);
        product[k + half] = product[k + half].xor(middle[k]).xor(low[k]).xor(high);
        product[k + 2 * half] = product[k + 2 * half].xor(high);
    }
    reduce::<M, V>(&mut product);
    product
}

/// The product of planes `from` to `from + length` of both, `length` being at most 8.
#[inline(always)]
fn half_product<V: Vector>(length: usize, a: &[V; MOST], b: &[V; MOST], from: usize) -> [V; MOST] {
    let mut product = [V::NONE; MOST];
    unrolled!(I in [0 1 2 3 4 5 6 7] {
        if I < length {
            unrolled!(J in [0 1 2 3 4 5 6 7] {
                if J < length {
                    product[I + J] = product[I + J].xor(a[from + I].and(b[from + J]));
                }
            });
        }
    });
    product
}

/// Reduces planes M to 2 M − 2 by the field's polynomial.
#[inline(always)]
fn reduce<const M: usize, V: Vector>(product: &mut [V; 2 * MOST]) {
    let taps = const { Field::polynomial(M) };
    for k in (M..2 * M - 1).rev() {
        for tap in 0..M {
            if taps >> tap & 1 == 1 {
                product[k - M + tap] = product[k - M + tap].xor(product[k]);
            }
        }
    }
}
