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

describe('a reference that is a whole text', () => {
  it('becomes what it stands for, of its own type', () => {
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

  it('is the address of an agent, unless another thing of it is named', () => {
    expect(reading('${alice}')).toBe('AliceAddress');
    expect(reading('${alice.address}')).toBe('AliceAddress');
    expect(reading('${alice.token}')).toBe('a-token');
    // It has not signed in.
    expect(reading('${bob.token}')).toBeNull();
  });
});

describe('a reference in a longer text', () => {
  it('is written out, also several times, and what is no text as JSON', () => {
    expect(reading('to ${bob}: ${round}')).toBe('to BobAddress: 3');
    expect(reading('${round}${round}')).toBe('33');
    expect(reading(' ${round}')).toBe(' 3');
    expect(reading('${paid.body}!')).toBe('{"ok":true}!');
    expect(reading('Bearer ${alice.token}')).toBe('Bearer a-token');
  });

  it('is not what only looks like one', () => {
    for (const text of ['$round', '{round}', '$ {round}', '${round', '', '$', 'a}b'])
      expect(reading(text), text).toBe(text);
  });
});

describe('a reference after two dollars', () => {
  it('is none, and loses one of them', () => {
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

  it('is how any text is written that is to stay what it is', () => {
    for (const text of ['${a}', 'for ${a}${b}', '$${a}', '$$${a}', '${a', '$', '{a}', '${}', '${${a}}', 'x'])
      expect(reading(escaped(text)), text).toBe(text);
  });
});

describe('a value with references in it', () => {
  it('has them replaced at any depth, in names of members too, and nothing else touched', () => {
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

  it('tells which it has', () => {
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

describe('a reference to nothing', () => {
  it('says what there is', () => {
    expect(() => reading('${zed}')).toThrow(UnknownReference);
    expect(() => reading({ deep: ['a ${zed.id}'] })).toThrow(
      '${zed.id}: nothing is called zed here; there are alice, bob, paid, treasury, round, text',
    );
    expect(() => reading('${}')).toThrow('nothing is called that here');
    expect(() => reading('${constructor}')).toThrow(UnknownReference);
  });

  it('says what members there are', () => {
    expect(() => reading('${paid.sum}')).toThrow(
      '${paid.sum}: paid has no sum; it has status, body, list, nothing, zero',
    );
    expect(() => reading('${paid.list.2.id}')).toThrow('paid has no list.2.id');
    expect(() => reading('${round.more}')).toThrow('${round.more}: round has no more; it has no members');
    expect(() => reading('${paid.constructor}')).toThrow(UnknownReference);
    expect(() => reading('${alice.password}')).toThrow('alice has no password; it has address, token');
  });
});

describe('a text that an agent made up', () => {
  it.each([
    ['an open reference of spaces', `\${${' '.repeat(100_000)}`],
    ['open references without end', '${'.repeat(100_000)],
    ['marks only', '$'.repeat(100_000)],
    ['marks and spaces', '$ '.repeat(100_000)],
    ['a reference of spaces', `x\${${' '.repeat(100_000)}round}`],
  ])('is read in no time: %s', (_name, text) => {
    const from = performance.now();
    referencesIn(text);
    escaped(text);
    reading(text);
    expect(performance.now() - from).toBeLessThan(1_000);
  });
});
