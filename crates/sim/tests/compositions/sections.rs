//! The bytes of recordings.

/// Bytes that are read from the first on.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    pub fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    pub fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    pub fn step(&mut self, from: u64) -> u64 {
        from.wrapping_add(unfold(self.number()))
    }
}

/// A step of either direction from its number.
pub fn unfold(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// The sections of a recording.
pub fn sections(file: &[u8]) -> Vec<(&str, &[u8])> {
    let mut rest = Bytes(file);
    assert_eq!(rest.take(8), b"\x93WLR\r\n\x1a\n");
    let mut sections = Vec::new();
    while !rest.0.is_empty() {
        let head = rest.take(12);
        let length = u64::from_le_bytes(head[4..].try_into().expect("eight bytes"));
        let payload = rest.take(length as usize);
        rest.take(4);
        sections.push((std::str::from_utf8(&head[..4]).expect("a name"), payload));
    }
    sections
}
