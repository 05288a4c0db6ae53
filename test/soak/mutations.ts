import type { Random } from '../../src/testing/study/random.js';

/** Numbers, words and structures that file readers may not expect. */
const ODD = [
  '-1',
  '0',
  '-0',
  '1e309',
  '1e21',
  '0.1e-400',
  '9'.repeat(400),
  '9007199254740993',
  '4294967296',
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '"__proto__"',
  '{"__proto__":{"a":1}}',
  '"\\ud800"',
  '"\\u0000\\u001b[2J"',
  `"${'x'.repeat(300_000)}"`,
  '['.repeat(20_000) + ']'.repeat(20_000),
  '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000),
  'NaN',
  ',',
] as const;

/** Bytes with some altered, removed or repeated. */
export function changedBytes(source: Uint8Array, random: Random): Buffer {
  const bytes = Buffer.from(source);
  const at = random.below(bytes.length);
  const end = Math.min(bytes.length, at + 1 + random.below(64));
  const noise = Buffer.from(Array.from({ length: end - at }, () => random.below(256)));
  switch (random.pick(['flip', 'cut', 'noise', 'zeros', 'ones', 'missing', 'twice', 'more'] as const)) {
    case 'flip':
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    case 'cut':
      return bytes.subarray(0, at);
    case 'noise':
      noise.copy(bytes, at);
      return bytes;
    case 'zeros':
      return bytes.fill(0, at, end);
    case 'ones':
      return bytes.fill(0xff, at, end);
    case 'missing':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 'twice':
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 'more':
      return Buffer.concat([bytes, noise]);
  }
}

/** A JSON, YAML or CSV text with one value replaced, or one line removed or repeated. */
export function changedText(source: string, random: Random): Buffer {
  const lines = source.split('\n');
  const at = random.below(lines.length);
  const values = [...source.matchAll(/"[^"\n]*"|-?\d+(\.\d+)?|true|false|null/g)];
  switch (random.pick(['value', 'value', 'value', 'missing', 'twice', 'bytes'] as const)) {
    case 'value': {
      if (values.length === 0) return Buffer.from(random.pick(ODD));
      const { index, 0: old } = random.pick(values);
      return Buffer.from(source.slice(0, index) + random.pick(ODD) + source.slice(index + old.length));
    }
    case 'missing':
      return Buffer.from(lines.toSpliced(at, 1).join('\n'));
    case 'twice':
      return Buffer.from(lines.toSpliced(at, 0, lines[at] ?? '').join('\n'));
    case 'bytes':
      return changedBytes(Buffer.from(source), random);
  }
}
