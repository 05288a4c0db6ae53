import { describe, expect, it } from 'vitest';
import {
  Named,
  type Scope,
  UnknownReference,
  escaped,
  hasReference,
  referencesIn,
  resolved,
} from '../../../src/testing/scenario/references.js';

const PAID = {
  status: 200,
  body: { ok: true },
  list: [{ id: 'first' }, { id: 'second' }],
  nothing: null,
  zero: 0,
};
const THINGS: Readonly<Record<string, unknown>> = {
  alice: new Named('AliceAddress', 'a-token'),
  bob: new Named('BobAddress', null),
  paid: PAID,
  treasury: 'TreasuryAddress',
  round: 3,
  text: 'some text',
};

const SCOPE: Scope = {
  get: (name) => (Object.hasOwn(THINGS, name) ? THINGS[name] : undefined),
  names: () => Object.keys(THINGS),
};

const reading = (value: unknown) => resolved(value, SCOPE);

describe('reference', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    [
      'that is the whole text is replaced by its value in the value’s own type',
      {
        '${round}': 3,
        '${ round }': 3,
        '${text}': 'some text',
        '${paid.status}': 200,
        '${paid.zero}': 0,
        '${paid.body}': { ok: true },
        '${paid.body.ok}': true,
        '${paid.list.1.id}': 'second',
        '${paid.list[0].id}': 'first',
        '${paid.nothing}': null,
        '${paid}': PAID,
      },
    ],
    [
      'to an agent is its address unless it names another member',
      {
        '${alice}': 'AliceAddress',
        '${alice.address}': 'AliceAddress',
        '${alice.token}': 'a-token',
        // It has not signed in.
        '${bob.token}': null,
      },
    ],
    [
      'within a longer text is replaced as text, or as JSON when it is not a string, any number of times',
      {
        'to ${bob}: ${round}': 'to BobAddress: 3',
        '${round}${round}': '33',
        ' ${round}': ' 3',
        '${paid.body}!': '{"ok":true}!',
        'Bearer ${alice.token}': 'Bearer a-token',
      },
    ],
    [
      'with a second dollar sign is not replaced and loses one dollar sign',
      {
        '$${round}': '${round}',
        '$${nobody.at all}': '${nobody.at all}',
        'for $${text} and ${text}': 'for ${text} and some text',
        '$$${round}': '$3',
        '$$$${round}': '$${round}',
        '$${ round }': '${ round }',
        // It has no end, and is no reference anyway.
        '$${round': '$${round',
      },
    ],
  ])('%s', (_what, values) => {
    for (const [text, value] of Object.entries(values)) expect(reading(text), text).toEqual(value);
  });

  it('is not found in similar text', () => {
    for (const text of ['$round', '{round}', '$ {round}', '${round', '', '$', 'a}b'])
      expect(reading(text), text).toBe(text);
  });

  it('is escaped in any text', () => {
    for (const text of ['${a}', 'for ${a}${b}', '$${a}', '$$${a}', '${a', '$', '{a}', '${}', '${${a}}', 'x'])
      expect(reading(escaped(text)), text).toBe(text);
  });

  it('is replaced at any depth of a value, member names included, which is not changed itself', () => {
    const given = {
      '${bob}': { amount: '${round}', list: ['${text}', 1, null, true, { to: 'x ${round}' }] },
    };
    const before = structuredClone(given);
    expect(reading(given)).toEqual({
      BobAddress: { amount: 3, list: ['some text', 1, null, true, { to: 'x 3' }] },
    });
    expect(given).toEqual(before);
    for (const plain of [1, null, true, undefined, 'text', []]) expect(reading(plain)).toEqual(plain);
  });

  it.each([
    [{ a: '${x.y} and ${ z }', b: ['${x.y}', 1, null], '${name}': 2 }, ['name', 'x.y', 'x.y', 'z']],
    [{ a: '$${x} ${y}', '$${z}': 1 }, ['y']],
    ['$$${a}', ['a']],
    ['$${a}', []],
    [1, []],
  ])('is found in %j', (value, found) => {
    expect(referencesIn(value).toSorted()).toEqual(found);
    expect(hasReference(value)).toBe(typeof value === 'string' && found.length > 0);
  });

  it.each([
    ['${zed}', '${zed}: unknown name zed; known names: alice, bob, paid, treasury, round, text'],
    ['a ${zed.id}', '${zed.id}: unknown name zed; known names: alice, bob, paid, treasury, round, text'],
    ['${}', 'unknown name ; known names'],
    ['${constructor}', 'unknown name constructor'],
    ['${paid.sum}', '${paid.sum}: paid has no sum; it has status, body, list, nothing, zero'],
    ['${paid.list.2.id}', 'paid has no list.2.id'],
    ['${round.more}', '${round.more}: round has no more; it has no members'],
    ['${paid.constructor}', 'paid has no constructor'],
    ['${alice.password}', 'alice has no password; it has address, token'],
  ])('is refused with the names or members that exist: %s', (text, message) => {
    expect(() => reading({ deep: [text] })).toThrow(UnknownReference);
    expect(() => reading({ deep: [text] })).toThrow(message);
  });
});

it.each([
  ['an open reference of spaces', `\${${' '.repeat(100_000)}`],
  ['many open references', '${'.repeat(100_000)],
  ['dollar signs and spaces', '$ '.repeat(100_000)],
])('hostile text is searched for references in less than a second: %s', (_name, text) => {
  const from = performance.now();
  referencesIn(text);
  escaped(text);
  reading(text);
  expect(performance.now() - from).toBeLessThan(1_000);
});
