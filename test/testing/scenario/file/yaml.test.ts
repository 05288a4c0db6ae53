import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFile } from '../../../../src/testing/scenario/file/load.js';
import { readYaml } from '../../../../src/testing/scenario/file/yaml.js';
import { BrokenFile, type Scenario } from '../../../../src/testing/scenario/scenario.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

function read(text: string): Scenario[] {
  return readYaml(text, 'a.yaml', '/nowhere/a.yaml');
}

/** Position and reason of the first fault of a text. */
function broken(text: string): { at: string; reason: string } {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    const { file, line, column, reason, message } = error;
    expect(message).toBe(`${file}:${line}:${column}: ${reason}`);
    return { at: `${line}:${column}`, reason };
  }
  throw new Error(`nothing is wrong with ${text}`);
}

const HEAD = 'name: x\nagents: { alice: {}, bob: {} }\n';
const TAIL = '\nsteps: [alice.account]\n';

/** A text with one step of alice. */
const step = (text: string) => `${HEAD}steps:\n  - ${text}`;

/** The fault, the text with a mark at its position, and the reported reason. */
const BROKEN: readonly [string, string, RegExp][] = [
  // The text itself.
  ['an unclosed bracket', `${HEAD}steps: [alice.account¦`, /flow|\]/i],
  ['a tab as indentation', 'name: x\nagents:\n¦\talice: {}\n', /tab/i],
  ['a duplicate member', 'name: x\n¦name: y\nsteps: [a]\n', /unique/],
  ['an unclosed string', 'name: "x\n¦', /quote/],
  ['null', '¦null\n', /object/],
  ['a list', '¦- name: x\n', /object/],
  ['a plain text', '¦hello', /object/],
  ['an empty file', '¦', /the file is empty/],
  ['comments only', '¦# later\n', /the file is empty/],
  [
    'a text with a colon and no quotes',
    `name: ¦Alice: pays${TAIL}`,
    /^a text with a colon needs quotes; quote it: "Alice: pays", or begin a map on the next line$/,
  ],
  ['an unresolved alias', '¦name: *who\n', /[Uu]nresolved alias.*who/],
  // Braces that YAML reads as a flow map.
  [
    'a reference without quotes in a map',
    step('alice.send: { amount: 1, to: ¦${bob}, token: SOL }'),
    /^a reference within \{ \} or \[ \] needs quotes; quote it: "\$\{bob\}"$/,
  ],
  [
    'a reference without quotes at the end of a map',
    step('expect: { chain: { bob: { usdc: ¦${bob.usdc} } } }'),
    /quote it: "\$\{bob\.usdc\}"$/,
  ],
  [
    'a text with a reference and no quotes in a list',
    step('expect: { noEvents: [¦to-${bob}-x, other] }'),
    /quote it: "to-\$\{bob\}-x"$/,
  ],
  [
    'a reference without quotes as the name of a member',
    `${HEAD}finally:\n  chain: { ¦\${bob}: { usdc: 1 } }${TAIL}`,
    /quote it: "\$\{bob\}"$/,
  ],
  // Members.
  ['an unknown member', `name: x\n¦step: []${TAIL}`, /^step: there is no member step here/],
  ['no name', '¦steps: [alice.account]', /^name: /],
  ['an empty name', `¦name: ""${TAIL}`, /^name: /],
  ['a member of the wrong type', `name: x\n¦tags: slow${TAIL}`, /^tags: .*array/],
  ['an element of the wrong type', `name: x\ntags:\n  - slow\n  - ¦5${TAIL}`, /^tags\.1: .*string/],
  ['an unknown rule', `name: x\ncovers:\n  - x402.pay\n  - ¦x402.fly${TAIL}`, /^covers\.1: /],
  ['a bad word for invariants', `name: x\n¦invariants: sometimes${TAIL}`, /^invariants: .*always/],
  [
    'an unknown account in an expectation',
    `${HEAD}finally:\n  journal: { ¦pocket: {} }${TAIL}`,
    /^finally\.journal\.pocket: /,
  ],
  [
    'an unknown kind of event',
    `${HEAD}finally:\n  events: [{ ¦kind: miracle }]${TAIL}`,
    /^finally\.events\.0\.kind: /,
  ],
  [
    'a matcher with a bad bound',
    step('alice.account: {}\n    expect:\n      status: { ¦between: 5 }'),
    /^steps\.0\.expect\.status\.between: /,
  ],
  [
    'an invalid regular expression',
    step('expect: { chain: { bob: { usdc: { ¦matches: "(" } } } }'),
    /matches: is not a regular expression/,
  ],
  [
    'a bad matcher at the end',
    `${HEAD}finally: { journal: { checking: { USDC: { ¦near: much } } } }${TAIL}`,
    /^finally\.journal\.checking\.USDC\.near: .*number/,
  ],
  [
    'a mistyped matcher',
    step('alice.account: {}\n    expect: { checking: { usdc: { ¦abov: 5 } } }'),
    /^steps\.0\.expect\.checking\.usdc\.abov: there is no matcher abov; did you mean above\?/,
  ],
  [
    'a mistyped matcher beside a right one',
    `${HEAD}finally:\n  journal: { checking: { USDC: { atLeast: 5, ¦at_most: 6 } } }${TAIL}`,
    /did you mean atMost\?/,
  ],
  [
    'a mistyped matcher with a reference',
    step('expect: { chain: { bob: { usdc: { ¦neer: "${x}" } } } }'),
    /did you mean near\?/,
  ],
  // Agents.
  [
    'an agent with a reserved name',
    `name: x\nagents:\n  ¦treasury: {}${TAIL}`,
    /treasury has another meaning/,
  ],
  ['an agent with the name of a verb', `name: x\nagents:\n  ¦time: {}${TAIL}`, /time has another meaning/],
  ['an agent with a space in its name', `name: x\nagents:\n  ¦Alice Smith: {}${TAIL}`, /./],
  [
    'an agent with a negative balance',
    `name: x\nagents:\n  alice:\n    ¦usdc: -1${TAIL}`,
    /^agents\.alice\.usdc: /,
  ],
  [
    'an unknown member of an agent',
    `name: x\nagents:\n  alice:\n    ¦eur: 5${TAIL}`,
    /there is no member eur here/,
  ],
  [
    'an unknown persona',
    `name: x\nagents:\n  alice:\n    ¦persona: hermit${TAIL}`,
    /^agents\.alice\.persona: .*saver/,
  ],
  // The world.
  [
    'an unknown variant',
    `name: x\nworld:\n  variants:\n    ¦colour: red${TAIL}`,
    /there is no member colour here/,
  ],
  [
    'a bad value of a variant',
    `name: x\nworld:\n  variants:\n    ¦overview: C${TAIL}`,
    /^world\.variants\.overview: .*merged/,
  ],
  ['a rate below zero', `name: x\nworld:\n  oracle:\n    ¦usdc: -1${TAIL}`, /^world\.oracle\.usdc: /],
  [
    'an invalid start time',
    `name: x\nworld:\n  ¦startTime: yesterday${TAIL}`,
    /^world\.startTime: must be an instant/,
  ],
  [
    'an engine that scenarios do not support',
    `name: x\nworld:\n  ¦engine: cluster${TAIL}`,
    /^world\.engine: /,
  ],
  [
    'a bad delay',
    `name: x\nworld:\n  ¦withdrawalDelay: soon${TAIL}`,
    /^world\.withdrawalDelay: must be a duration/,
  ],
  [
    'a missing series file',
    `name: x\nworld:\n  oracle:\n    ¦file: no.csv${TAIL}`,
    /^world\.oracle\.file: no\.csv cannot be read \(ENOENT\)/,
  ],
  [
    'a bad review policy',
    `name: x\nworld:\n  seed: 1\n  ¦review: whenever${TAIL}`,
    /^world\.review: review is "whenever"/,
  ],
  // Steps.
  ['no steps at all', `¦${HEAD}`, /a scenario needs steps or a property/],
  ['an empty list of steps', `¦${HEAD}steps: []`, /a scenario needs steps or a property/],
  ['steps and a property', `${HEAD}¦property: {}${TAIL}`, /steps or a property, not both/],
  [
    'an unknown agent',
    step('alice.account\n  - ¦carol.account'),
    /unknown step carol\.account; there are the agents alice, bob and/,
  ],
  ['an unknown verb of an agent', step('¦alice.acount: {}'), /an agent cannot acount; it can .*account/],
  ['an agent without a verb', step('¦alice: {}'), /an agent cannot do nothing/],
  ['an unknown verb of the world', step('¦time.fly: 1d'), /unknown step time\.fly; .*time\.advance/],
  [
    'two verbs in one step',
    step('alice.account: {}\n    ¦bob.account: {}'),
    /a step has one action, here alice\.account; the step can also have expect, save, note, key, headers/,
  ],
  ['a step that does nothing', step('¦note: hello'), /the step has no action/],
  ['a step that is a number', step('¦5'), /^steps\.0: /],
  ['a wrong member beside a verb', step('alice.account: {}\n    ¦save: 5'), /^steps\.0\.save: /],
  [
    'a wrong argument',
    step('alice.send:\n      to: bob\n      amount: 1\n      ¦token: EUR'),
    /^steps\.0\.alice\.send\.token: .*USDC/,
  ],
  ['a missing argument', step('¦alice.send: { to: bob, token: SOL }'), /^steps\.0\.alice\.send\.amount: /],
  ['an unknown argument', step('faucet.give: { to: bob, ¦eur: 1 }'), /there is no member eur here/],
  [
    'an argument of the wrong type for the world',
    step('¦oracle.outage: maybe'),
    /^steps\.0\.oracle\.outage: .*boolean/,
  ],
  ['a bad rate', step('oracle.set: { ¦usdc: high }'), /^steps\.0\.oracle\.set\.usdc: .*percentage/],
  ['an unknown command', step('control: { ¦do: dance }'), /^steps\.0\.control\.do: /],
  [
    'an unknown argument of a command',
    step('loan.cure: { loan: l, ¦dueInn: 1d }'),
    /there is no member dueInn here/,
  ],
  // Steps that hold others.
  [
    'a repetition without a number',
    step('¦repeat:\n      steps: [alice.account]'),
    /times: must be a whole number/,
  ],
  [
    'a repetition of half a round',
    step('repeat:\n      ¦times: 1.5\n      steps: [alice.account]'),
    /times: must be a whole number/,
  ],
  [
    'a repetition without steps',
    step('¦repeat: { times: 2 }'),
    /^steps\.0\.repeat\.steps: must be a list of steps/,
  ],
  [
    'a wrong step within a repetition',
    step('repeat:\n      times: 2\n      steps:\n        - alice.account\n        - ¦carol.account'),
    /unknown step carol\.account/,
  ],
  ['parallel steps that are not a list', step('¦parallel: alice.account'), /must be a list of steps/],
  [
    'a wrong step within parallel ones',
    step('parallel:\n      - alice.account\n      - ¦alice.dance'),
    /an agent cannot dance/,
  ],
  [
    'a bad duration in wait',
    step('wait:\n      until: alice.account\n      ¦within: soon'),
    /within: must be a duration such as 1s or 10m/,
  ],
  [
    'an interval of 0 in wait',
    step('wait:\n      until: alice.account\n      ¦every: 0s'),
    /every: must be a duration/,
  ],
  ['a wait without a condition', step('¦wait: { within: 1s }'), /until: must be a step/],
  ['an unknown member of wait', step('wait: { until: alice.account, ¦forever: true }'), /wait needs until/],
  // Properties.
  ['an unknown behaviour', 'name: x\nproperty:\n  behaviours: { ¦hermit: 1 }', /hermit|saver/],
  [
    'an unknown operation',
    'name: x\nproperty:\n  operations:\n    - withdraw\n    - ¦fly',
    /unknown action fly; there are deposit/,
  ],
  [
    'agents beside a property',
    'name: x\n¦agents: { alice: {} }\nproperty: {}',
    /a property creates its agents from its behaviours/,
  ],
  ['too many agents', 'name: x\nproperty:\n  ¦agents: 11', /^property\.agents: /],
];

it('a deeply nested scenario file is rejected with that reason', () => {
  expect(broken(`name: ${'['.repeat(3_000)}${']'.repeat(3_000)}`).reason).toBe('it is nested too deeply');
});

describe('invalid YAML scenario file', () => {
  it.each(BROKEN)('is rejected with line, column and reason: %s', (_what, text, reason) => {
    const before = text.slice(0, text.indexOf('¦')).split('\n');
    const found = broken(text.replace('¦', ''));
    expect(found.reason).toMatch(reason);
    expect(found.at, found.reason).toBe(`${before.length}:${(before.at(-1)?.length ?? 0) + 1}`);
  });

  it.each([
    ['{ usdc: { abov: 5, other: 1 } }', 'another member beside it'],
    ['{ batch: { each: 5 }, note: x }', 'names that are like short words'],
    ['{ usdc: { length: 5 } }', 'a matcher'],
    ['{ usdc: { match: true, above: 1 } }', 'an argument that the matcher does not take'],
    ['{ usdc: { equals: { abov: 5 } } }', 'an object to compare with'],
    ['{ match: "x", chain: { reach: { usdc: 5 } } }', 'names of members and agents'],
    ['{ usdc: { year: { x: 1 } } }', 'an object'],
  ])('is not reported for the expectation %s, which has %s', (expected) => {
    expect(read(`${HEAD}steps:\n  - alice.account: {}\n    expect: ${expected}`)).toHaveLength(1);
  });

  it('is rejected with its line in the whole file when it is not the first document', () => {
    const first = `${HEAD}steps: [alice.account]\n---\n`;
    expect(broken(`${first}name: y\nsteps:\n  - carol.account\n`)).toMatchObject({
      at: '7:5',
      reason: expect.stringMatching(/there are no agents and/) as string,
    });
    expect(broken(`${first}name: y\nsteps: [\n`).at).toMatch(/^[67]:/);
    expect(broken(`${first}names: y\n`).at).toBe('5:1');
  });

  it('is rejected for a wrong value beside references', () => {
    expect(
      broken(`${HEAD}steps:\n  - alice.send: { to: "\${bob}", amount: "\${x}", token: EUR }`).reason,
    ).toMatch(/^steps\.0\.alice\.send\.token: /);
    expect(
      broken(`${HEAD}steps:\n  - faucet.give: { to: "\${bob}", usdc: "\${x}", sol: -1 }`).reason,
    ).toMatch(/^steps\.0\.faucet\.give\.sol: /);
  });

  it('is rejected when it cannot be read', async () => {
    const at = temporaryFolder();
    await expect(loadFile('no.yaml', at)).rejects.toMatchObject({
      file: 'no.yaml',
      reason: 'cannot be read (ENOENT)',
    });
    mkdirSync(join(at, 'folder.yaml'));
    await expect(loadFile('folder.yaml', at)).rejects.toMatchObject({ reason: 'cannot be read (EISDIR)' });
  });
});
