import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ReviewPolicy,
  afterReview,
  parseReviewPolicy,
  reviewPolicyView,
  reviewTiming,
} from '../../src/world/reviewer.js';
import { forAll } from '../support/for-all.js';

/** The timings that a policy gives for successive applications. */
function played(policy: ReviewPolicy, applications: number): unknown[] {
  const timings = [];
  let now = policy;
  for (let at = 0; at < applications; at += 1) {
    timings.push(reviewTiming(now, 0));
    now = afterReview(now);
  }
  return timings;
}

describe('scripted review policy', () => {
  const VERDICTS = [
    { kind: 'verdict', approve: true, reason: null },
    { kind: 'verdict', approve: false, reason: 'too much debt' },
    { kind: 'manual' },
    { kind: 'at', atMs: 7_200_000 },
    { kind: 'at-once' },
    { kind: 'at-once' },
  ];

  it('uses one step per application in order, then the `after` policy', () => {
    const text = 'script:approve, deny:too much debt, manual, delay:2h, after:auto';
    expect(played(parseReviewPolicy(text), 6)).toEqual(VERDICTS);
    const script = ['approve', { deny: 'too much debt' }, 'manual', 'delay:2h'];
    expect(played(parseReviewPolicy({ script, after: 'auto' }), 6)).toEqual(VERDICTS);
    expect(played(parseReviewPolicy('script:deny: too much debt: 3 loans, approve: '), 2)).toEqual([
      { kind: 'verdict', approve: false, reason: 'too much debt: 3 loans' },
      { kind: 'verdict', approve: true, reason: null },
    ]);
    expect(played(parseReviewPolicy('script:deny'), 3)).toEqual([
      { kind: 'verdict', approve: false, reason: null },
      { kind: 'manual' },
      { kind: 'manual' },
    ]);
  });

  it('keeps its position in its value, so an older value resumes at its own position', () => {
    const first = parseReviewPolicy('script:approve,deny');
    const second = afterReview(first);
    expect([reviewPolicyView(first).script?.taken, reviewPolicyView(second).script?.taken]).toEqual([0, 1]);
    expect(reviewPolicyView(afterReview(afterReview(second))).script?.taken).toBe(2);
  });

  it('requires a valid step, and reports the allowed forms', () => {
    for (const bad of [
      'script:',
      'script:perhaps',
      'script:approve,after:deny',
      'script:after:auto',
      'script:approve,,deny',
    ]) {
      expect(() => parseReviewPolicy(bad), bad).toThrow(/review is|1 to 10000 steps/);
    }
    expect(() => parseReviewPolicy({ script: [] })).toThrow('1 to 10000 steps');
    for (const script of [5, [1]] as never[]) expect(() => parseReviewPolicy({ script })).toThrow('review');
    expect(parseReviewPolicy({ script: ['deny'], after: null as never })).toMatchObject({ taken: 0 });
    expect(() => parseReviewPolicy({ script: ['approve'], after: 'deny' })).toThrow('delay:2h');
    for (const bad of ['', 'sometimes', 'delay:', 'delay:x'])
      expect(() => parseReviewPolicy(bad), bad).toThrow('script:approve');
  });

  it('formats as text that parses to the same policy', () => {
    const step = fc.oneof(
      fc.constantFrom('approve', 'deny', 'manual', 'auto', 'deny:thin file', 'approve:known: good'),
      fc.nat(10 ** 9).map((ms) => `delay:${ms}ms`),
    );
    const then = fc.constantFrom('manual', 'auto', 'delay:2h');
    forAll(fc.array(step, { minLength: 1, maxLength: 8 }), then, (script, after) => {
      const policy = parseReviewPolicy({ script, after: after });
      expect(parseReviewPolicy(reviewPolicyView(policy).policy)).toEqual(policy);
    });
    for (const text of ['manual', 'auto', 'delay:2h', 'delay:90m']) {
      expect(reviewPolicyView(parseReviewPolicy(text))).toEqual({ policy: text });
    }
  });
});
