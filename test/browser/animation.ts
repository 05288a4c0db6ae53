import { crc32 } from 'node:zlib';

/** A picture of a page, and how long it is shown. */
export interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

const SIGNATURE_BYTES = 8;

/** The data of all chunks of a type in a PNG, one after the other. */
function dataOf(png: Buffer, type: string): Buffer {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === type)
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return Buffer.concat(parts);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function chunk(type: string, ...parts: readonly Buffer[]): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), ...parts]);
  return Buffer.concat([uint32(named.length - 4), named, uint32(crc32(named))]);
}

/** Pictures of one size as an animated PNG that goes on without end. Source: PNG, third edition, W3C, 2025: acTL, fcTL, fdAT. */
export function animated(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new RangeError('no frames');
  const header = dataOf(first.png, 'IHDR');
  let sequence = 0;
  const next = () => uint32(sequence++);
  const parts = frames.flatMap(({ png, ms }, at) => {
    if (!dataOf(png, 'IHDR').equals(header)) throw new RangeError('the frames differ in size');
    // Width and height as in the header, no offset, milliseconds, nothing blended.
    const place = Buffer.alloc(22);
    header.copy(place, 0, 0, 8);
    place.writeUInt16BE(ms, 16);
    place.writeUInt16BE(1_000, 18);
    const control = chunk('fcTL', next(), place);
    const data = dataOf(png, 'IDAT');
    return [control, at === 0 ? chunk('IDAT', data) : chunk('fdAT', next(), data)];
  });
  return Buffer.concat([
    first.png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', header),
    chunk('acTL', uint32(frames.length), uint32(0)),
    ...parts,
    chunk('IEND'),
  ]);
}
