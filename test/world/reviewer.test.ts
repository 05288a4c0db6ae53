import { describe, expect, it } from 'vitest';
import { parseReviewPolicy, reviewPolicyText, reviewTiming } from '../../src/world/reviewer.js';

describe('review policy', () => {
  it('says when an application is decided', () => {
    expect(reviewTiming(parseReviewPolicy('manual'), 5)).toEqual({ kind: 'manual' });
    expect(reviewTiming(parseReviewPolicy('auto'), 5)).toEqual({ kind: 'at-once' });
    expect(reviewTiming(parseReviewPolicy('delay:2h'), 5)).toEqual({ kind: 'at', atMs: 7_200_005 });
  });

  it('is refused in any other form, with those that are allowed', () => {
    for (const bad of ['', 'sometimes', 'delay:', 'delay:x', 5, null])
      expect(() => parseReviewPolicy(bad)).toThrow('manual, auto, or delay:<duration> such as delay:2h');
  });

  it('formats as text that parses to the same policy', () => {
    for (const text of ['manual', 'auto', 'delay:2h', 'delay:90m', 'delay:0ms', 'delay:7ms'])
      expect(reviewPolicyText(parseReviewPolicy(text))).toBe(text);
  });
});
