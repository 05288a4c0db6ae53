import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PendingLine } from '../../../src/api/recorder/pending-line.js';
import { InFlightCalls } from '../../../src/api/recorder/in-flight-calls.js';

const clock = { nowMs: () => 0, still: <T>(work: () => T): T => work() };

it('pending lines are found by request and listed in the order of their start, whichever ends first', () => {
  const ids = fc.array(fc.nat({ max: 5 }), { maxLength: 30 });
  fc.assert(
    fc.property(ids, (turns) => {
      const underWay = new InFlightCalls();
      const expected = new Map<string, PendingLine>();
      for (const turn of turns) {
        const id = `req_${turn}`;
        // A request begins and ends in turn.
        if (expected.delete(id)) underWay.delete(id);
        else {
          const pending = new PendingLine(clock, () => undefined);
          underWay.set(id, pending);
          expected.set(id, pending);
        }
        expect([...underWay.values()]).toEqual([...expected.values()]);
        for (let each = 0; each <= 5; each += 1)
          expect(underWay.get(`req_${each}`)).toBe(expected.get(`req_${each}`));
      }
    }),
  );
});
