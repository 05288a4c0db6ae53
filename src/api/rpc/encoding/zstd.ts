const MAGIC = 0xfd2fb528;
const BLOCK_BYTES = 128 * 1_024;

/**
 * A Zstandard frame that stores bytes uncompressed: every decoder reads it, and Node 20 has no encoder.
 * Source: RFC 8878, frames of raw blocks with the content's size in 8 bytes.
 */
export function storedZstd(data: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32LE(MAGIC, 0);
  header[4] = 0b1110_0000; // an 8-byte content size, one segment, no checksum, no dictionary
  header.writeBigUInt64LE(BigInt(data.length), 5);
  const parts: Uint8Array[] = [header];
  let at = 0;
  do {
    const block = data.subarray(at, at + BLOCK_BYTES);
    at += BLOCK_BYTES;
    const head = Buffer.alloc(3);
    head.writeUIntLE((block.length << 3) | (at >= data.length ? 1 : 0), 0, 3);
    parts.push(head, block);
  } while (at < data.length);
  return Buffer.concat(parts);
}
