import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageParser } from '../../../src/inspector/control/sse.js';

it('a stream gives the same messages wherever its chunks end', () => {
  const data = ['{"seq":1}', '{"missed":7}', '{"text":"a: b"}'];
  const text = `: hello\n\nid: 1\nevent: request\ndata: ${data[0]}\n\nevent: gap\ndata: ${data[1]}\n\n: still here\n\nid: 2\nevent: entry\ndata: ${data[2]}\n\n`;
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 6 }), (cuts) => {
      const parser = new MessageParser();
      const ends = [...cuts.toSorted((a, b) => a - b), text.length];
      const messages = ends.flatMap((end, at) => parser.take(text.slice(ends[at - 1] ?? 0, end)));
      expect(messages).toEqual([
        { event: 'request', data: data[0] },
        { event: 'gap', data: data[1] },
        { event: 'entry', data: data[2] },
      ]);
    }),
  );
});
