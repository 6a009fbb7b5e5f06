//! The out-of-band area of a unit: whose data it is, how new, and checksums.

/// Bytes of it, its checksum included.
pub const OOB_BYTES: usize = 32;

/// What the out-of-band area says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oob {
    /// The logical unit.
    pub lpn: u64,
    /// P/E cycles of the block when it was programmed.
    pub erases: u32,
    /// Units written before it in the life of the drive.
    pub sequence: u64,
    /// Whether there is no data but zeroes, which take no room.
    pub is_zero: bool,
    /// Whether the data was lost before it came here.
    pub is_lost: bool,
    /// CRC-32 of the data.
    pub checksum: u32,
    /// The data is a second write of its page, by this attempt of its code.
    pub second: Option<u16>,
}

impl Oob {
    /// Its bytes.
    pub fn to_bytes(self) -> [u8; OOB_BYTES] {
        let mut bytes = [0; OOB_BYTES];
        // Five bytes tell any logical unit, and the fifth is 0 on most drives.
        bytes[0..4].copy_from_slice(&(self.lpn as u32).to_le_bytes());
        bytes[16] = (self.lpn >> u32::BITS) as u8;
        bytes[4..8].copy_from_slice(&self.erases.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        // Never 0: an erased area is none.
        let flags = [true, self.is_zero, self.is_lost, self.second.is_some()];
        bytes[17] = (0..).zip(flags).map(|(bit, flag)| u8::from(flag) << bit).sum();
        bytes[18..20].copy_from_slice(&self.second.unwrap_or(0).to_le_bytes());
        bytes[20..24].copy_from_slice(&self.checksum.to_le_bytes());
        let own = crc32fast::hash(&bytes[..28]);
        bytes[28..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// What bytes say; `None` where their checksum is wrong, or they were never written.
    pub fn from_bytes(bytes: &[u8; OOB_BYTES]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let flags = bytes[17];
        if word(28)? != crc32fast::hash(&bytes[..28]) || flags & 1 == 0 {
            return None;
        }
        Some(Self {
            lpn: u64::from(word(0)?) | u64::from(bytes[16]) << u32::BITS,
            erases: word(4)?,
            sequence: u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?),
            is_zero: flags & 2 != 0,
            is_lost: flags & 4 != 0,
            checksum: word(20)?,
            second: (flags & 8 != 0).then_some(u16::from_le_bytes([bytes[18], bytes[19]])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{OOB_BYTES, Oob};

    #[test]
    fn an_area_comes_back_and_no_wrong_bit_passes() {
        let oob = Oob {
            lpn: 7,
            erases: 3,
            sequence: 1 << 40,
            is_zero: false,
            is_lost: true,
            checksum: 0xdead_beef,
            second: None,
        };
        for (second, lpn) in [(None, 7), (Some(0), u64::from(u32::MAX)), (Some(300), 1 << 36)] {
            let oob = Oob { second, lpn, ..oob };
            assert_eq!(Oob::from_bytes(&oob.to_bytes()), Some(oob));
        }
        let bytes = oob.to_bytes();
        for bit in 0..8 * OOB_BYTES {
            let mut wrong = bytes;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Oob::from_bytes(&wrong), None, "bit {bit}");
        }
        assert_eq!(Oob::from_bytes(&[0; OOB_BYTES]), None);
        assert_eq!(Oob::from_bytes(&[0xff; OOB_BYTES]), None);
    }
}
