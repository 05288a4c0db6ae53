const MAGIC = 0xfd2fb528;
const BLOCK_BYTES = 128 * 1_024;

/**
 * A Zstandard frame that stores bytes uncompressed: every decoder reads it, and Node 20 has no encoder.
 * Source: RFC 8878, raw blocks; a window of 2 MiB and no content size, as the
 * encoder of clusters writes.
 */
export function storedZstd(data: Uint8Array): Buffer {
  const header = Buffer.alloc(6);
  header.writeUInt32LE(MAGIC, 0);
  header[5] = 0x58;
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
