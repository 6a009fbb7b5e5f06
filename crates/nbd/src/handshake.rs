//! From the greeting to the choice of an export.

use std::io::{self, Read, Write};

use crate::contexts::{self, ALLOCATION};
use crate::export::Named;
use crate::input::Input;
use crate::wire::{Fields, broken};

const OPTION: u64 = u64::from_be_bytes(*b"IHAVEOPT");
const REPLY: u64 = 0x0003_e889_0455_65a9;
const LONGEST_OPTION: u32 = 64 << 10;

const FIXED_NEWSTYLE: u16 = 1;
const NO_ZEROES: u16 = 1 << 1;

mod option {
    pub const EXPORT_NAME: u32 = 1;
    pub const ABORT: u32 = 2;
    pub const LIST: u32 = 3;
    pub const INFO: u32 = 6;
    pub const GO: u32 = 7;
    pub const STRUCTURED_REPLY: u32 = 8;
    pub const LIST_META_CONTEXT: u32 = 9;
    pub const SET_META_CONTEXT: u32 = 10;
}

mod answer {
    pub const ACK: u32 = 1;
    pub const SERVER: u32 = 2;
    pub const INFO: u32 = 3;
    pub const META_CONTEXT: u32 = 4;
    pub const UNSUPPORTED: u32 = 1 << 31 | 1;
    pub const INVALID: u32 = 1 << 31 | 3;
    pub const UNKNOWN: u32 = 1 << 31 | 6;
    pub const TOO_BIG: u32 = 1 << 31 | 9;
}

mod information {
    pub const EXPORT: u16 = 0;
    pub const NAME: u16 = 1;
    pub const DESCRIPTION: u16 = 2;
    pub const BLOCK_SIZE: u16 = 3;
}

mod transmission {
    pub const HAS_FLAGS: u16 = 1;
    pub const FLUSH: u16 = 1 << 2;
    pub const FUA: u16 = 1 << 3;
    pub const TRIM: u16 = 1 << 5;
    pub const WRITE_ZEROES: u16 = 1 << 6;
    pub const DONT_FRAGMENT: u16 = 1 << 7;
    pub const MULTI_CONN: u16 = 1 << 8;
    pub const FAST_ZERO: u16 = 1 << 11;
    pub const ALWAYS: u16 = HAS_FLAGS | FLUSH | FUA | TRIM | WRITE_ZEROES | MULTI_CONN | FAST_ZERO;
}

/// What client and server have agreed on.
pub struct Agreed<'a> {
    pub export: Named<'a>,
    pub structured: bool,
    /// Whether the client may ask what is allocated.
    pub allocation: bool,
}

/// None if the client leaves.
pub fn negotiate<'a, R: Read>(
    input: &mut Input<R>,
    output: &mut impl Write,
    exports: &[Named<'a>],
) -> io::Result<Option<Agreed<'a>>> {
    let offered = FIXED_NEWSTYLE | NO_ZEROES;
    output.write_all(&[&b"NBDMAGICIHAVEOPT"[..], &offered.to_be_bytes()].concat())?;
    output.flush()?;
    let flags = input.u32()?;
    if flags & !u32::from(offered) != 0 {
        return Err(broken("the client sets flags that were not offered"));
    }
    let padded = flags & u32::from(NO_ZEROES) == 0;
    let mut haggling =
        Haggling { exports, padded, structured: false, allocation_of: None, said: Vec::new() };
    loop {
        let next = haggling.answer(input);
        output.write_all(&haggling.said)?;
        output.flush()?;
        haggling.said.clear();
        match next? {
            Next::Option => {}
            Next::Leave => return Ok(None),
            Next::Serve(index) => return Ok(Some(haggling.agreed(index))),
        }
    }
}

enum Next {
    Option,
    Leave,
    /// The export of that number.
    Serve(usize),
}

struct Haggling<'e, 'a> {
    exports: &'e [Named<'a>],
    /// Whether the answer to the oldest option ends in zeroes.
    padded: bool,
    structured: bool,
    /// The export for which that context was chosen.
    allocation_of: Option<usize>,
    /// What is sent when the option has been dealt with.
    said: Vec<u8>,
}

impl<'a> Haggling<'_, 'a> {
    fn agreed(&self, index: usize) -> Agreed<'a> {
        Agreed {
            export: self.exports[index],
            structured: self.structured,
            allocation: self.allocation_of == Some(index),
        }
    }

    fn find(&self, name: &[u8]) -> Option<usize> {
        let named = |export: &Named<'_>| export.name.as_bytes() == name;
        let found = self.exports.iter().position(named);
        found.or((name.is_empty() && !self.exports.is_empty()).then_some(0))
    }

    fn reply(&mut self, option: u32, kind: u32, data: &[&[u8]]) {
        let length: usize = data.iter().map(|part| part.len()).sum();
        self.said.extend(REPLY.to_be_bytes());
        self.said.extend(option.to_be_bytes());
        self.said.extend(kind.to_be_bytes());
        self.said.extend((length as u32).to_be_bytes());
        data.iter().for_each(|part| self.said.extend(*part));
    }

    /// Receives an option and says what is to be said to it.
    fn answer<R: Read>(&mut self, input: &mut Input<R>) -> io::Result<Next> {
        if input.u64()? != OPTION {
            return Err(broken("an option does not begin with IHAVEOPT"));
        }
        let (option, length) = (input.u32()?, input.u32()?);
        if length > LONGEST_OPTION {
            self.reply(option, answer::TOO_BIG, &[b"options have at most 64 KiB"]);
            return Err(broken("an option is longer than 64 KiB"));
        }
        let mut data = vec![0; length as usize];
        input.exact(&mut data)?;
        match option {
            option::EXPORT_NAME => return self.choose_by_name(&data),
            option::ABORT => {
                self.reply(option, answer::ACK, &[]);
                return Ok(Next::Leave);
            }
            option::LIST if data.is_empty() => self.list(),
            option::STRUCTURED_REPLY if data.is_empty() => {
                self.structured = true;
                self.reply(option, answer::ACK, &[]);
            }
            option::INFO | option::GO => {
                if let Some(index) = self.describe(option, &data)
                    && option == option::GO
                {
                    return Ok(Next::Serve(index));
                }
            }
            option::LIST_META_CONTEXT | option::SET_META_CONTEXT => self.contexts(option, &data),
            option::LIST | option::STRUCTURED_REPLY => {
                self.reply(option, answer::INVALID, &[b"this option has no data"]);
            }
            _ => self.reply(option, answer::UNSUPPORTED, &[]),
        }
        Ok(Next::Option)
    }

    /// The oldest way to choose. There are no errors but to hang up.
    fn choose_by_name(&mut self, name: &[u8]) -> io::Result<Next> {
        let index = self.find(name).ok_or_else(|| broken("there is no export of that name"))?;
        self.said.extend(self.exports[index].export.size().to_be_bytes());
        self.said.extend(self.flags().to_be_bytes());
        if self.padded {
            self.said.extend([0; 124]);
        }
        Ok(Next::Serve(index))
    }

    fn flags(&self) -> u16 {
        transmission::ALWAYS | if self.structured { transmission::DONT_FRAGMENT } else { 0 }
    }

    fn list(&mut self) {
        for export in self.exports {
            let length = (export.name.len() as u32).to_be_bytes();
            let parts = [&length, export.name.as_bytes(), export.description.as_bytes()];
            self.reply(option::LIST, answer::SERVER, &parts);
        }
        self.reply(option::LIST, answer::ACK, &[]);
    }

    /// The export asked for, if there is one; the client has then been told of it.
    fn describe(&mut self, option: u32, data: &[u8]) -> Option<usize> {
        let Some((name, wanted)) = request_for_information(data) else {
            self.reply(option, answer::INVALID, &[b"a malformed request for information"]);
            return None;
        };
        let Some(index) = self.find(name) else {
            self.reply(option, answer::UNKNOWN, &[b"there is no export of that name"]);
            return None;
        };
        let export = self.exports[index];
        let size = export.export.size().to_be_bytes();
        self.inform(option, information::EXPORT, &[&size, &self.flags().to_be_bytes()]);
        if wanted.contains(&information::NAME) {
            self.inform(option, information::NAME, &[export.name.as_bytes()]);
        }
        if wanted.contains(&information::DESCRIPTION) {
            self.inform(option, information::DESCRIPTION, &[export.description.as_bytes()]);
        }
        let blocks = export.export.blocks();
        let blocks = [blocks.minimum, blocks.preferred, blocks.maximum].map(u32::to_be_bytes);
        self.inform(option, information::BLOCK_SIZE, &blocks.each_ref().map(|size| &size[..]));
        self.reply(option, answer::ACK, &[]);
        Some(index)
    }

    fn inform(&mut self, option: u32, kind: u16, data: &[&[u8]]) {
        let kind = kind.to_be_bytes();
        self.reply(option, answer::INFO, &[&[&kind[..]], data].concat());
    }

    fn contexts(&mut self, option: u32, data: &[u8]) {
        let choice = option == option::SET_META_CONTEXT;
        if choice {
            self.allocation_of = None;
        }
        let Some((name, queries)) = contexts::queries(data) else {
            return self.reply(option, answer::INVALID, &[b"malformed queries"]);
        };
        if choice && !self.structured {
            let why = b"contexts need structured replies; ask for those first";
            return self.reply(option, answer::INVALID, &[why]);
        }
        let Some(index) = self.find(name) else {
            return self.reply(option, answer::UNKNOWN, &[b"there is no export of that name"]);
        };
        let chosen = if choice { contexts::chosen(&queries) } else { contexts::listed(&queries) };
        if chosen {
            self.allocation_of = choice.then_some(index).or(self.allocation_of);
            let number = if choice { contexts::NUMBER } else { 0 };
            self.reply(option, answer::META_CONTEXT, &[&number.to_be_bytes(), ALLOCATION]);
        }
        self.reply(option, answer::ACK, &[]);
    }
}

/// The name of an export, and the kinds of information wanted of it.
fn request_for_information(data: &[u8]) -> Option<(&[u8], Vec<u16>)> {
    let mut fields = Fields(data);
    let name = fields.string()?;
    let kinds = (0..fields.u16()?).map(|_| fields.u16()).collect::<Option<_>>()?;
    fields.0.is_empty().then_some((name, kinds))
}
