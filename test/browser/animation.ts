import { crc32 } from 'node:zlib';

/** A picture of a page, and how long it is shown. */
export interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

const SIGNATURE_BYTES = 8;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    const data = png.subarray(at + 8, at + 8 + length);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data });
    at += 12 + length;
  }
  return chunks;
}

function bytesOf(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function numbers(...values: readonly (readonly [value: number, bytes: 1 | 2 | 4])[]): Buffer {
  return Buffer.concat(
    values.map(([value, bytes]) => {
      const part = Buffer.alloc(bytes);
      part.writeUIntBE(value, 0, bytes);
      return part;
    }),
  );
}

/** Pictures of one size as an animated PNG that goes on without end. Source: PNG, third edition, W3C, 2025: acTL, fcTL, fdAT. */
export function animated(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new RangeError('no frames');
  const header = chunksOf(first.png)[0]?.data ?? Buffer.alloc(0);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  let sequence = 0;
  const next = () => [sequence++, 4] as const;
  const parts = frames.flatMap(({ png, ms }, at) => {
    const chunks = chunksOf(png);
    if (chunks[0]?.data.equals(header) !== true) throw new RangeError('the frames differ in size');
    const control = numbers(
      next(),
      [width, 4],
      [height, 4],
      [0, 4],
      [0, 4],
      [ms, 2],
      [1_000, 2],
      [0, 1],
      [0, 1],
    );
    const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
    const image = at === 0 ? bytesOf('IDAT', data) : bytesOf('fdAT', Buffer.concat([numbers(next()), data]));
    return [bytesOf('fcTL', control), image];
  });
  return Buffer.concat([
    first.png.subarray(0, SIGNATURE_BYTES),
    bytesOf('IHDR', header),
    bytesOf('acTL', numbers([frames.length, 4], [0, 4])),
    ...parts,
    bytesOf('IEND', Buffer.alloc(0)),
  ]);
}
