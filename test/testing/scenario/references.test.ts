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

const THINGS: Readonly<Record<string, unknown>> = {
  alice: new Named('AliceAddress', 'a-token'),
  bob: new Named('BobAddress', null),
  paid: {
    status: 200,
    body: { ok: true },
    list: [{ id: 'first' }, { id: 'second' }],
    nothing: null,
    zero: 0,
  },
  treasury: 'TreasuryAddress',
  round: 3,
  text: 'some text',
};

const SCOPE: Scope = {
  get: (name) => (Object.hasOwn(THINGS, name) ? THINGS[name] : undefined),
  names: () => Object.keys(THINGS),
};

const reading = (value: unknown) => resolved(value, SCOPE);

describe('reference that is the whole text', () => {
  it('is replaced by its value in the value’s own type', () => {
    for (const [text, value] of [
      ['${round}', 3],
      ['${ round }', 3],
      ['${text}', 'some text'],
      ['${paid.status}', 200],
      ['${paid.zero}', 0],
      ['${paid.body}', { ok: true }],
      ['${paid.body.ok}', true],
      ['${paid.list.1.id}', 'second'],
      ['${paid.list[0].id}', 'first'],
      ['${paid.nothing}', null],
      ['${paid}', THINGS['paid']],
    ] as const)
      expect(reading(text), text).toEqual(value);
  });

  it('is an agent’s address unless it names another member', () => {
    expect(reading('${alice}')).toBe('AliceAddress');
    expect(reading('${alice.address}')).toBe('AliceAddress');
    expect(reading('${alice.token}')).toBe('a-token');
    // It has not signed in.
    expect(reading('${bob.token}')).toBeNull();
  });
});

describe('reference within a longer text', () => {
  it('is replaced as text, or as JSON when it is not a string, any number of times', () => {
    expect(reading('to ${bob}: ${round}')).toBe('to BobAddress: 3');
    expect(reading('${round}${round}')).toBe('33');
    expect(reading(' ${round}')).toBe(' 3');
    expect(reading('${paid.body}!')).toBe('{"ok":true}!');
    expect(reading('Bearer ${alice.token}')).toBe('Bearer a-token');
  });

  it('is not found in similar text', () => {
    for (const text of ['$round', '{round}', '$ {round}', '${round', '', '$', 'a}b'])
      expect(reading(text), text).toBe(text);
  });
});

describe('reference escaped by a second dollar sign', () => {
  it('is not replaced and loses one dollar sign', () => {
    for (const [text, value] of [
      ['$${round}', '${round}'],
      ['$${nobody.at all}', '${nobody.at all}'],
      ['for $${text} and ${text}', 'for ${text} and some text'],
      ['$$${round}', '$3'],
      ['$$$${round}', '$${round}'],
      ['$${ round }', '${ round }'],
      // It has no end, and is no reference anyway.
      ['$${round', '$${round'],
    ] as const)
      expect(reading(text), text).toBe(value);
    expect([hasReference('$${a}'), hasReference('$$${a}'), hasReference('$${a} ${b}')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(referencesIn({ a: '$${x} ${y}', '$${z}': 1 })).toEqual(['y']);
  });

  it('preserves any text', () => {
    for (const text of ['${a}', 'for ${a}${b}', '$${a}', '$$${a}', '${a', '$', '{a}', '${}', '${${a}}', 'x'])
      expect(reading(escaped(text)), text).toBe(text);
  });
});

describe('value that contains references', () => {
  it('has them replaced at any depth, member names included, and is not changed itself', () => {
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

  it('lists its references', () => {
    expect(referencesIn({ a: '${x.y} and ${ z }', b: ['${x.y}', 1, null], '${name}': 2 }).toSorted()).toEqual(
      ['name', 'x.y', 'x.y', 'z'],
    );
    expect([
      hasReference('a ${b} c'),
      hasReference('a'),
      hasReference(1),
      hasReference({ a: '${b}' }),
    ]).toEqual([true, false, false, false]);
  });
});

describe('unknown reference', () => {
  it('is rejected with the known names', () => {
    expect(() => reading('${zed}')).toThrow(UnknownReference);
    expect(() => reading({ deep: ['a ${zed.id}'] })).toThrow(
      '${zed.id}: unknown name zed; known names: alice, bob, paid, treasury, round, text',
    );
    expect(() => reading('${}')).toThrow('unknown name ; known names');
    expect(() => reading('${constructor}')).toThrow(UnknownReference);
  });

  it('is rejected with the members that exist', () => {
    expect(() => reading('${paid.sum}')).toThrow(
      '${paid.sum}: paid has no sum; it has status, body, list, nothing, zero',
    );
    expect(() => reading('${paid.list.2.id}')).toThrow('paid has no list.2.id');
    expect(() => reading('${round.more}')).toThrow('${round.more}: round has no more; it has no members');
    expect(() => reading('${paid.constructor}')).toThrow(UnknownReference);
    expect(() => reading('${alice.password}')).toThrow('alice has no password; it has address, token');
  });
});

describe('hostile text', () => {
  it.each([
    ['an open reference of spaces', `\${${' '.repeat(100_000)}`],
    ['many open references', '${'.repeat(100_000)],
    ['dollar signs and spaces', '$ '.repeat(100_000)],
  ])('is searched for references in less than a second: %s', (_name, text) => {
    const from = performance.now();
    referencesIn(text);
    escaped(text);
    reading(text);
    expect(performance.now() - from).toBeLessThan(1_000);
  });
});
