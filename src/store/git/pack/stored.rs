//! Zlib streams (RFC 1950) of stored blocks, for incompressible data.

/// The header of a stream without a preset dictionary, at the lowest level.
const HEADER: [u8; 2] = [0x78, 0x01];
/// The maximum length of a stored block: 16 bits.
const BLOCK_LENGTH_MAX: usize = 0xffff;
/// The largest prime below 2^16.
const ADLER_MODULUS: u32 = 65_521;
/// The number of bytes that can be added up before a 32-bit sum overflows.
const ADLER_RUN: usize = 5_552;

/// Appends the stream of these bytes to `out`.
pub(super) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + bytes.len() / BLOCK_LENGTH_MAX * 5 + 16);
    out.extend_from_slice(&HEADER);
    let mut rest = bytes;
    loop {
        let (block, after) = rest.split_at(rest.len().min(BLOCK_LENGTH_MAX));
        let length = u16::try_from(block.len()).expect("because it is bounded by 16 bits");
        out.push(u8::from(after.is_empty()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
        if after.is_empty() {
            break;
        }
        rest = after;
    }
    out.extend_from_slice(&adler32(bytes).to_be_bytes());
}

fn adler32(bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (1_u32, 0_u32);
    for run in bytes.chunks(ADLER_RUN) {
        for byte in run {
            low += u32::from(*byte);
            high += low;
        }
        low %= ADLER_MODULUS;
        high %= ADLER_MODULUS;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn zlib_reads_it_back_whatever_the_length() {
        for length in [0, 1, 5_551, 5_552, 5_553, 65_535, 65_536, 131_070, 200_000] {
            let bytes: Vec<u8> = (0..length).map(|at: u32| at.to_le_bytes()[0] | 0xf0).collect();
            let mut encoded = Vec::new();
            encode(&bytes, &mut encoded);
            let mut read = Vec::new();
            let mut decoder = flate2::read::ZlibDecoder::new(encoded.as_slice());
            decoder.read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes, "{length}");
        }
    }
}
