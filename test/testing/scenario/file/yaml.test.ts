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

/** The fault, the text, its position and the reported reason. */
const BROKEN: readonly [string, string, string, RegExp][] = [
  // The text itself.
  ['an unclosed bracket', `${HEAD}steps: [alice.account`, '3:22', /flow|\]/i],
  ['a tab as indentation', 'name: x\nagents:\n\talice: {}\n', '3:1', /tab/i],
  ['a duplicate member', 'name: x\nname: y\nsteps: [a]\n', '2:1', /unique/],
  ['an unclosed string', 'name: "x\n', '2:1', /quote/],
  ['null', 'null\n', '1:1', /object/],
  ['a list', '- name: x\n', '1:1', /object/],
  ['a plain text', 'hello', '1:1', /object/],
  ['an empty file', '', '1:1', /the file is empty/],
  ['comments only', '# later\n', '1:1', /the file is empty/],
  ['an unresolved alias', 'name: *who\n', '1:1', /[Uu]nresolved alias.*who/],
  // Braces that YAML reads as a flow map.
  [
    'a reference without quotes in a map',
    `${HEAD}steps:\n  - alice.send: { amount: 1, to: \${bob}, token: SOL }`,
    '4:34',
    /^a reference within \{ \} or \[ \] needs quotes; quote it: "\$\{bob\}"$/,
  ],
  [
    'a reference without quotes at the end of a map',
    `${HEAD}steps:\n  - expect: { chain: { bob: { usdc: \${bob.usdc} } } }`,
    '4:37',
    /quote it: "\$\{bob\.usdc\}"$/,
  ],
  [
    'a text with a reference and no quotes in a list',
    `${HEAD}steps:\n  - expect: { noEvents: [to-\${bob}-x, other] }`,
    '4:26',
    /quote it: "to-\$\{bob\}-x"$/,
  ],
  [
    'a reference without quotes as the name of a member',
    `${HEAD}finally:\n  chain: { \${bob}: { usdc: 1 } }${TAIL}`,
    '4:12',
    /quote it: "\$\{bob\}"$/,
  ],
  // Members.
  ['an unknown member', `name: x\nstep: []${TAIL}`, '2:1', /^step: there is no member step here/],
  ['no name', 'steps: [alice.account]', '1:1', /^name: /],
  ['an empty name', `name: ""${TAIL}`, '1:1', /^name: /],
  ['a member of the wrong type', `name: x\ntags: slow${TAIL}`, '2:1', /^tags: .*array/],
  ['an element of the wrong type', `name: x\ntags:\n  - slow\n  - 5${TAIL}`, '4:5', /^tags\.1: .*string/],
  ['an unknown rule', `name: x\ncovers:\n  - x402.pay\n  - x402.fly${TAIL}`, '4:5', /^covers\.1: /],
  ['a bad word for invariants', `name: x\ninvariants: sometimes${TAIL}`, '2:1', /^invariants: .*always/],
  [
    'an unknown account in an expectation',
    `${HEAD}finally:\n  journal: { pocket: {} }${TAIL}`,
    '4:14',
    /^finally\.journal\.pocket: /,
  ],
  [
    'an unknown kind of event',
    `${HEAD}finally:\n  events: [{ kind: miracle }]${TAIL}`,
    '4:14',
    /^finally\.events\.0\.kind: /,
  ],
  [
    'a matcher with a bad bound',
    `${HEAD}steps:\n  - alice.account: {}\n    expect:\n      status: { between: 5 }`,
    '6:17',
    /^steps\.0\.expect\.status\.between: /,
  ],
  [
    'an invalid regular expression',
    `${HEAD}steps:\n  - expect: { chain: { bob: { usdc: { matches: "(" } } } }`,
    '4:39',
    /matches: is not a regular expression/,
  ],
  [
    'a bad matcher at the end',
    `${HEAD}finally: { journal: { checking: { USDC: { near: much } } } }${TAIL}`,
    '3:43',
    /^finally\.journal\.checking\.USDC\.near: .*number/,
  ],
  [
    'a mistyped matcher',
    `${HEAD}steps:\n  - alice.account: {}\n    expect: { checking: { usdc: { abov: 5 } } }`,
    '5:35',
    /^steps\.0\.expect\.checking\.usdc\.abov: there is no matcher abov; did you mean above\?/,
  ],
  [
    'a mistyped matcher beside a right one',
    `${HEAD}finally:\n  journal: { checking: { USDC: { atLeast: 5, at_most: 6 } } }${TAIL}`,
    '4:46',
    /did you mean atMost\?/,
  ],
  [
    'a mistyped matcher with a reference',
    `${HEAD}steps:\n  - expect: { chain: { bob: { usdc: { neer: "\${x}" } } } }`,
    '4:39',
    /did you mean near\?/,
  ],
  // Agents.
  [
    'an agent with a reserved name',
    `name: x\nagents:\n  treasury: {}${TAIL}`,
    '3:3',
    /treasury has another meaning/,
  ],
  [
    'an agent with the name of a verb',
    `name: x\nagents:\n  time: {}${TAIL}`,
    '3:3',
    /time has another meaning/,
  ],
  ['an agent with a space in its name', `name: x\nagents:\n  Alice Smith: {}${TAIL}`, '3:3', /./],
  [
    'an agent with a negative balance',
    `name: x\nagents:\n  alice:\n    usdc: -1${TAIL}`,
    '4:5',
    /^agents\.alice\.usdc: /,
  ],
  [
    'an unknown member of an agent',
    `name: x\nagents:\n  alice:\n    eur: 5${TAIL}`,
    '4:5',
    /there is no member eur here/,
  ],
  [
    'an unknown persona',
    `name: x\nagents:\n  alice:\n    persona: hermit${TAIL}`,
    '4:5',
    /^agents\.alice\.persona: .*saver/,
  ],
  // The world.
  [
    'an unknown variant',
    `name: x\nworld:\n  variants:\n    colour: red${TAIL}`,
    '4:5',
    /there is no member colour here/,
  ],
  [
    'a bad value of a variant',
    `name: x\nworld:\n  variants:\n    overview: C${TAIL}`,
    '4:5',
    /^world\.variants\.overview: .*merged/,
  ],
  ['a rate below zero', `name: x\nworld:\n  oracle:\n    usdc: -1${TAIL}`, '4:5', /^world\.oracle\.usdc: /],
  [
    'a rate that is not a percentage',
    `name: x\nworld:\n  oracle:\n    sol: much${TAIL}`,
    '4:5',
    /^world\.oracle\.sol: .*percentage/,
  ],
  [
    'an invalid start time',
    `name: x\nworld:\n  startTime: yesterday${TAIL}`,
    '3:3',
    /^world\.startTime: must be an instant/,
  ],
  ['a time factor of 0', `name: x\nworld:\n  time: 0x${TAIL}`, '3:3', /^world\.time: /],
  [
    'an engine that scenarios do not support',
    `name: x\nworld:\n  engine: cluster${TAIL}`,
    '3:3',
    /^world\.engine: /,
  ],
  [
    'a bad delay',
    `name: x\nworld:\n  withdrawalDelay: soon${TAIL}`,
    '3:3',
    /^world\.withdrawalDelay: must be a duration/,
  ],
  [
    'slots in the wrong order',
    `name: x\nworld:\n  confirmationSlots: [5, 2]${TAIL}`,
    '3:3',
    /^world\.confirmationSlots: .*finalized/,
  ],
  [
    'a missing series file',
    `name: x\nworld:\n  oracle:\n    file: no.csv${TAIL}`,
    '4:5',
    /^world\.oracle\.file: no\.csv cannot be read \(ENOENT\)/,
  ],
  [
    'a bad review policy',
    `name: x\nworld:\n  seed: 1\n  review: whenever${TAIL}`,
    '4:3',
    /^world\.review: review is "whenever"/,
  ],
  // Steps.
  ['no steps at all', HEAD, '1:1', /a scenario needs steps or a property/],
  ['an empty list of steps', `${HEAD}steps: []`, '1:1', /a scenario needs steps or a property/],
  ['steps and a property', `${HEAD}property: {}${TAIL}`, '3:1', /steps or a property, not both/],
  [
    'an unknown agent',
    `${HEAD}steps:\n  - alice.account\n  - carol.account`,
    '5:5',
    /unknown step carol\.account; there are the agents alice, bob and/,
  ],
  [
    'an unknown verb of an agent',
    `${HEAD}steps:\n  - alice.acount: {}`,
    '4:5',
    /an agent cannot acount; it can .*account/,
  ],
  ['an agent without a verb', `${HEAD}steps:\n  - alice: {}`, '4:5', /an agent cannot do nothing/],
  [
    'an unknown verb of the world',
    `${HEAD}steps:\n  - time.fly: 1d`,
    '4:5',
    /unknown step time\.fly; .*time\.advance/,
  ],
  [
    'two verbs in one step',
    `${HEAD}steps:\n  - alice.account: {}\n    bob.account: {}`,
    '5:5',
    /a step has one action, here alice\.account; the step can also have expect, save, note, key, headers/,
  ],
  ['a step that does nothing', `${HEAD}steps:\n  - note: hello`, '4:5', /the step has no action/],
  ['a step that is a number', `${HEAD}steps:\n  - 5`, '4:5', /^steps\.0: /],
  [
    'a wrong member beside a verb',
    `${HEAD}steps:\n  - alice.account: {}\n    save: 5`,
    '5:5',
    /^steps\.0\.save: /,
  ],
  [
    'a wrong argument',
    `${HEAD}steps:\n  - alice.send:\n      to: bob\n      amount: 1\n      token: EUR`,
    '7:7',
    /^steps\.0\.alice\.send\.token: .*USDC/,
  ],
  [
    'a missing argument',
    `${HEAD}steps:\n  - alice.send: { to: bob, token: SOL }`,
    '4:5',
    /^steps\.0\.alice\.send\.amount: /,
  ],
  [
    'an unknown argument',
    `${HEAD}steps:\n  - faucet.give: { to: bob, eur: 1 }`,
    '4:29',
    /there is no member eur here/,
  ],
  ['a mistyped argument', `${HEAD}steps:\n  - faucet.give: { too: bob }`, '4:20', /no member too here/],
  [
    'an argument of the wrong type for the world',
    `${HEAD}steps:\n  - oracle.outage: maybe`,
    '4:5',
    /^steps\.0\.oracle\.outage: .*boolean/,
  ],
  [
    'a bad rate',
    `${HEAD}steps:\n  - oracle.set: { usdc: high }`,
    '4:19',
    /^steps\.0\.oracle\.set\.usdc: .*percentage/,
  ],
  ['an unknown command', `${HEAD}steps:\n  - control: { do: dance }`, '4:16', /^steps\.0\.control\.do: /],
  // Steps that hold others.
  [
    'a repetition without a number',
    `${HEAD}steps:\n  - repeat:\n      steps: [alice.account]`,
    '4:5',
    /times: must be a whole number/,
  ],
  [
    'a repetition of half a round',
    `${HEAD}steps:\n  - repeat:\n      times: 1.5\n      steps: [alice.account]`,
    '5:7',
    /times: must be a whole number/,
  ],
  [
    'a repetition without steps',
    `${HEAD}steps:\n  - repeat: { times: 2 }`,
    '4:5',
    /^steps\.0\.repeat\.steps: must be a list of steps/,
  ],
  [
    'a wrong step within a repetition',
    `${HEAD}steps:\n  - repeat:\n      times: 2\n      steps:\n        - alice.account\n        - carol.account`,
    '8:11',
    /unknown step carol\.account/,
  ],
  [
    'parallel steps that are not a list',
    `${HEAD}steps:\n  - parallel: alice.account`,
    '4:5',
    /must be a list of steps/,
  ],
  [
    'a wrong step within parallel ones',
    `${HEAD}steps:\n  - parallel:\n      - alice.account\n      - alice.dance`,
    '6:9',
    /an agent cannot dance/,
  ],
  [
    'a bad duration in wait',
    `${HEAD}steps:\n  - wait:\n      until: alice.account\n      within: soon`,
    '6:7',
    /within: must be a duration such as 1s or 10m/,
  ],
  [
    'an interval of 0 in wait',
    `${HEAD}steps:\n  - wait:\n      until: alice.account\n      every: 0s`,
    '6:7',
    /every: must be a duration/,
  ],
  ['a wait without a condition', `${HEAD}steps:\n  - wait: { within: 1s }`, '4:5', /until: must be a step/],
  [
    'an unknown member of wait',
    `${HEAD}steps:\n  - wait: { until: alice.account, forever: true }`,
    '4:35',
    /wait needs until/,
  ],
  // Properties.
  ['an unknown behaviour', 'name: x\nproperty:\n  behaviours: { hermit: 1 }', '3:17', /hermit|saver/],
  [
    'an unknown operation',
    'name: x\nproperty:\n  operations:\n    - withdraw\n    - fly',
    '5:7',
    /unknown action fly; there are deposit/,
  ],
  [
    'agents beside a property',
    'name: x\nagents: { alice: {} }\nproperty: {}',
    '2:1',
    /a property creates its agents from its behaviours/,
  ],
  ['too many agents', 'name: x\nproperty:\n  agents: 11', '3:3', /^property\.agents: /],
];

it('a deeply nested scenario file is rejected with that reason', () => {
  expect(broken(`name: ${'['.repeat(3_000)}${']'.repeat(3_000)}`).reason).toBe('it is nested too deeply');
});

describe('invalid YAML scenario file', () => {
  for (const [what, text, at, reason] of BROKEN)
    it(`is rejected with line, column and reason: ${what}`, () => {
      const found = broken(text);
      expect(found.reason).toMatch(reason);
      expect(found.at, found.reason).toBe(at);
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
