//! All values of a polynomial at once: the additive Fourier transform of Lin, Chung & Han (FOCS
//! 2014), with the elements of the field as bit planes.
//!
//! An element is a lane's number above `LOW` low bits that number the vectors. Coefficients in the
//! basis of subspace polynomials are summed up lane by lane for the bits of the lane, and by
//! butterflies for the low bits.

use super::planes::{self, LANES, Plane, Planes};
use super::subspace::Subspaces;
use super::vector::{self, Vector};
use crate::bits::WORD_BITS;
use crate::ecc::bch::kernel::Kernel;
use crate::ecc::field::Field;

/// The transform over GF(2^M).
#[derive(Debug)]
pub struct Transform<const M: usize> {
    subspaces: Subspaces,
    /// Entry h − 1: X_(h 2^LOW) at the first element of every lane.
    tops: Vec<Planes<M>>,
    /// Entry (i, b), i below LOW: s_i at the elements of the block b of 2^(i + 1) vectors.
    twiddles: Vec<Vec<Planes<M>>>,
}

/// Working memory.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    coefficients: Vec<u16>,
    values: Vec<Plane>,
}

impl<const M: usize> Transform<M> {
    /// Bits of an element that number the vectors.
    const LOW: usize = M - LANES.trailing_zeros() as usize;

    /// The tables for polynomials of degree up to `t`.
    pub fn new(field: &Field, t: usize) -> Self {
        let subspaces = Subspaces::new(field, M);
        let first = |lane: usize| (lane << Self::LOW) as u16;
        let tops = (1..=t >> Self::LOW)
            .map(|h| planes::gather(|lane| subspaces.basis(field, h << Self::LOW, first(lane))))
            .collect();
        let twiddles = (0..Self::LOW)
            .map(|i| {
                let block = |b: usize| {
                    let offset = (b << (i + 1)) as u16;
                    planes::gather(|lane| subspaces.value(field, i, first(lane) ^ offset))
                };
                (0..1 << (Self::LOW - 1 - i)).map(block).collect()
            })
            .collect();
        Self { subspaces, tops, twiddles }
    }

    /// Appends to `places` every e with σ(α^−e) = 0, in no particular order.
    pub fn roots(
        &self,
        kernel: Kernel,
        field: &Field,
        locator: &[u16],
        scratch: &mut Scratch,
        places: &mut Vec<usize>,
    ) {
        // The reversed polynomial has the roots α^e.
        let coefficients = &mut scratch.coefficients;
        coefficients.clear();
        coefficients.extend(locator.iter().rev());
        coefficients.resize(locator.len().next_power_of_two().max(1 << Self::LOW), 0);
        self.subspaces.change_basis(field, coefficients);
        scratch.values.resize(M << Self::LOW, Plane::NONE);
        let (values, _) = scratch.values.as_chunks_mut::<M>();
        self.evaluate(kernel, coefficients, values);
        for (low, vector) in values.iter().enumerate() {
            for (index, word) in planes::zeros(vector).into_iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let lane = index * WORD_BITS + left.trailing_zeros() as usize;
                    let element = (lane << Self::LOW | low) as u16;
                    if element != 0 {
                        places.push(field.log(element));
                    }
                    left &= left - 1;
                }
            }
        }
    }

    fn evaluate(&self, kernel: Kernel, coefficients: &[u16], values: &mut [Planes<M>]) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            fn wide<const M: usize>(this: &Transform<M>, from: &[u16], to: &mut [Planes<M>]) {
                this.evaluate_by::<vector::Bits512>(from, to);
            }
            #[target_feature(enable = "avx2")]
            fn avx2<const M: usize>(this: &Transform<M>, from: &[u16], to: &mut [Planes<M>]) {
                this.evaluate_by::<vector::Bits256>(from, to);
            }
            match kernel {
                // SAFETY: a kernel other than `Plain` is only chosen where it is available.
                Kernel::Wide => return unsafe { wide(self, coefficients, values) },
                // SAFETY: a kernel other than `Plain` is only chosen where it is available.
                Kernel::Clmul => return unsafe { avx2(self, coefficients, values) },
                Kernel::Plain => {}
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = kernel;
        self.evaluate_by::<u64>(coefficients, values);
    }

    #[inline(always)]
    fn evaluate_by<V: Vector>(&self, coefficients: &[u16], values: &mut [Planes<M>]) {
        for (at, vector) in values.iter_mut().enumerate() {
            planes::fill::<M, V>(vector, coefficients[at]);
            for (h, top) in self.tops.iter().enumerate() {
                match coefficients.get(((h + 1) << Self::LOW) + at) {
                    Some(&factor) if factor != 0 => {
                        planes::add_multiple::<M, V>(vector, factor, top);
                    }
                    _ => {}
                }
            }
        }
        let used = coefficients.iter().rposition(|&c| c != 0).map_or(0, |last| last + 1);
        for (i, twiddles) in self.twiddles.iter().enumerate().rev() {
            let half = 1 << i;
            // Beyond that there is nothing to multiply: the upper ones are zeros.
            let multiplied = used.saturating_sub(half).min(half);
            for (block, twiddle) in values.chunks_exact_mut(2 * half).zip(twiddles) {
                let (lower, upper) = block.split_at_mut(half);
                upper[multiplied..].copy_from_slice(&lower[multiplied..]);
                let (lower, upper) = (&mut lower[..multiplied], &mut upper[..multiplied]);
                planes::butterflies::<M, V>(lower, upper, twiddle);
            }
        }
    }
}
