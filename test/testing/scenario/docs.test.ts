import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { matcherSchema } from '../../../src/testing/scenario/expecting/matchers.js';
import { scenarioSchema } from '../../../src/testing/scenario/file/schema.js';
import { REPORTERS } from '../../../src/testing/scenario/reporters/reporters.js';
import { AGENT_VERBS, FLOW, WORLD_VERBS } from '../../../src/testing/scenario/verbs/verbs.js';

const text = readFileSync('docs/reference/scenarios.md', 'utf8');

it('the scenario documentation names every verb, member, matcher and reporter', () => {
  const names = [
    ...Object.keys(AGENT_VERBS),
    ...Object.keys(WORLD_VERBS),
    ...Object.keys(scenarioSchema.shape),
    ...Object.keys(REPORTERS),
  ];
  expect(names.filter((name) => !new RegExp(`\`${name}[\`:]`).test(text))).toEqual([]);
  const words = [...FLOW, ...Object.keys(matcherSchema.shape)];
  expect(
    words.filter((word) => !new RegExp(`\\b${word}:`).test(text) && !text.includes(`\`${word}\``)),
  ).toEqual([]);
});
