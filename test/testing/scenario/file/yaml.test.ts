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

/** A text with a mark where it is wrong, and the reported reason. */
const BROKEN: readonly [string, RegExp][] = [
  // The text itself.
  [`${HEAD}steps: [alice.account¦`, /flow|\]/i],
  ['name: x\nagents:\n¦\talice: {}\n', /tab/i],
  ['name: x\n¦name: y\nsteps: [a]\n', /unique/],
  ['name: "x\n¦', /quote/],
  ['¦null\n', /object/],
  ['¦', /the file is empty/],
  [
    `name: ¦Alice: pays${TAIL}`,
    /^a text with a colon needs quotes; quote it: "Alice: pays", or begin a map on the next line$/,
  ],
  ['¦name: *who\n', /[Uu]nresolved alias.*who/],
  // Braces that YAML reads as a flow map.
  [
    step('alice.send: { amount: 1, to: ¦${bob}, token: SOL }'),
    /^a reference within \{ \} or \[ \] needs quotes; quote it: "\$\{bob\}"$/,
  ],
  [`${HEAD}finally:\n  chain: { ¦\${bob}: { usdc: 1 } }${TAIL}`, /quote it: "\$\{bob\}"$/],
  // Members.
  [`name: x\n¦step: []${TAIL}`, /^step: there is no member step here/],
  ['¦steps: [alice.account]', /^name: /],
  [`¦name: ""${TAIL}`, /^name: /],
  [`name: x\ntags:\n  - slow\n  - ¦{}${TAIL}`, /^tags\.1: /],
  [`${HEAD}finally:\n  journal: { ¦pocket: {} }${TAIL}`, /^finally\.journal\.pocket: /],
  [`${HEAD}finally:\n  events: [{ ¦kind: miracle }]${TAIL}`, /^finally\.events\.0\.kind: /],
  [
    step('alice.account: {}\n    expect:\n      status: { ¦between: 5 }'),
    /^steps\.0\.expect\.status\.between: /,
  ],
  [step('expect: { chain: { bob: { usdc: { ¦matches: "(" } } } }'), /matches: is not a regular expression/],
  [
    step('alice.account: {}\n    expect: { checking: { usdc: { ¦abov: 5 } } }'),
    /^steps\.0\.expect\.checking\.usdc\.abov: there is no matcher abov; did you mean above\?/,
  ],
  [step('expect: { chain: { bob: { usdc: { ¦neer: "${x}" } } } }'), /did you mean near\?/],
  // Names of events and codes that would never occur.
  [
    step('expect: { noEvents: [deposit, ¦outflow.postd] }'),
    /^steps\.0\.expect\.noEvents\.1: there is no event outflow\.postd; did you mean outflow\.posted\?$/,
  ],
  [step('alice.account: {}\n    expect: { code: { ¦not: not_fuond } }'), /did you mean not_found\?$/],
  [
    step('expect: { noEvents: [money.withdrawn, withdrawal] }').replace('[', '[¦'),
    /^steps\.0\.expect\.noEvents\.0: there is no event money\.withdrawn; there are request, .*price\.changed/,
  ],
  // A code is no event.
  [step('expect: { noEvents: [¦not_found] }'), /there is no event not_found; there are /],
  [
    `${HEAD}finally: { noEvents: [¦loan.lost] }${TAIL}`,
    /^finally\.noEvents\.0: .*there are loan\.due, .*loan\.repaid$/,
  ],
  ['name: x\nproperty: { never: [not_found, ¦own_code] }', /^property\.never\.1: .*own_code; there are /],
  [
    step('¦alice.buy: { from: shop }'),
    /^steps\.0\.alice\.buy\.maxAmount: is missing: expected number, or object$/,
  ],
  [step('time.advance: { ¦until: loan.deu, within: 1d }'), /^steps\.0\.time\.advance\.until: .*"loan\.due"/],
  [
    step('alice.account: {}\n    expect: { chain: { alice: {}, treasury: {}, ¦carol: { usdc: 1 } } }'),
    /^steps\.0\.expect\.chain\.carol: carol is neither an agent nor an address; there are alice, bob, treasury$/,
  ],
  [`${HEAD}finally: { chain: { ¦carol: { usdc: 1 } } }${TAIL}`, /^finally\.chain\.carol: /],
  [
    'name: x\nproperty: { agents: 1 }\nfinally: { chain: { ann: {}, ¦ben: {} } }',
    /; there are ann, treasury$/,
  ],
  // Agents.
  [`name: x\nagents:\n  ¦treasury: {}${TAIL}`, /treasury has another meaning/],
  [`name: x\nagents:\n  ¦Alice Smith: {}${TAIL}`, /./],
  [`name: x\nagents:\n  alice:\n    ¦usdc: -1${TAIL}`, /^agents\.alice\.usdc: /],
  [`name: x\nagents:\n  alice:\n    ¦persona: hermit${TAIL}`, /^agents\.alice\.persona: .*saver/],
  // The world.
  [`name: x\nworld:\n  variants:\n    ¦overview: C${TAIL}`, /^world\.variants\.overview: .*merged/],
  [`name: x\nworld:\n  ¦startTime: yesterday${TAIL}`, /^world\.startTime: must be an instant/],
  [`name: x\nworld:\n  ¦withdrawalDelay: soon${TAIL}`, /^world\.withdrawalDelay: must be a duration/],
  [`name: x\nworld:\n  seed: 1\n  ¦review: whenever${TAIL}`, /^world\.review: review is "whenever"/],
  // Steps.
  [`¦${HEAD}`, /a scenario needs steps or a property/],
  [`¦${HEAD}steps: []`, /a scenario needs steps or a property/],
  [`${HEAD}¦property: {}${TAIL}`, /steps or a property, not both/],
  [
    step('alice.account\n  - ¦carol.account'),
    /unknown step carol\.account; there are the agents alice, bob and/,
  ],
  [step('¦alcie.withdraw: {}'), /unknown step alcie\.withdraw; did you mean alice\?$/],
  [step('¦alice.acount: {}'), /an agent cannot acount; did you mean account\?/],
  [step('¦alice: {}'), /an agent cannot do nothing/],
  [step('¦time.advanc: 1d'), /unknown step time\.advanc; did you mean time\.advance\?$/],
  [
    step('alice.account: {}\n    ¦bob.account: {}'),
    /a step has one action, here alice\.account; the step can also have expect, save, note, key, headers/,
  ],
  [step('¦note: hello'), /the step has no action/],
  [
    step('alice.send:\n      to: bob\n      amount: 1\n      ¦token: EUR'),
    /^steps\.0\.alice\.send\.token: .*USDC/,
  ],
  [step('faucet.give: { to: bob, ¦eur: 1 }'), /there is no member eur here/],
  [step('oracle.set: { ¦usdc: high }'), /^steps\.0\.oracle\.set\.usdc: .*percentage/],
  [step('control: { ¦command: x }'), /there is no member command here; known members: do, .*body/],
  // Values beside references.
  [step('alice.send: { to: "${bob}", amount: "${x}", ¦token: EUR }'), /^steps\.0\.alice\.send\.token: /],
  [step('faucet.give: { to: "${bob}", usdc: "${x}", ¦sol: -1 }'), /^steps\.0\.faucet\.give\.sol: /],
  // What could pass without being checked.
  [
    step('alice.account:\n      ¦expect: { checking.usdc: 999 }'),
    /expect belongs beside alice\.account, not in/,
  ],
  [
    step('repeat: { times: 1, steps: [alice.account], ¦expect: {} }'),
    /expect belongs beside repeat, not in it/,
  ],
  [step('repeat: { ¦times: 0, steps: [alice.account] }'), /times: must be a whole number from 1 to 100000/],
  [step('¦parallel: []'), /^steps\.0\.parallel: must be a list of steps/],
  [step('{ expect: { chain: { bob: { usdc: 0 } } }, ¦save: a }'), /step without an action has no response/],
  [step('{ alice.account: {}, expect: { ¦checking.usdc: { by: 5 } } }'), /by is the tolerance of near/],
  [step('{ expect: { journal: { checking: { ¦usdc: { not: 1 } } } } }'), /there is no member usdc here/],
  [step('¦oracle.set: {}'), /^steps\.0\.oracle\.set: give at least one of usdc, sol, usdcUsd and solUsd/],
  [step('¦faucet.give: { to: bob }'), /^steps\.0\.faucet\.give: give usdc, sol or both/],
  // Steps that hold others.
  [step('parallel:\n      - alice.account\n      - ¦alice.dance'), /an agent cannot dance/],
  [
    step('wait:\n      until: alice.account\n      ¦within: soon'),
    /within: must be a duration such as 1s or 10m/,
  ],
  [step('¦wait: { within: 1s }'), /until: must be a step/],
  [step('wait: { until: alice.account, ¦forever: true }'), /wait needs until/],
  // Properties.
  ['name: x\nproperty:\n  behaviours: { ¦hermit: 1 }', /hermit|saver/],
  ['name: x\n¦agents: { alice: {} }\nproperty: {}', /a property creates its agents from its behaviours/],
  ['name: x\nproperty:\n  ¦agents: 11', /^property\.agents: /],
];

it('a deeply nested scenario file is rejected with that reason', () => {
  expect(broken(`name: ${'['.repeat(3_000)}${']'.repeat(3_000)}`).reason).toBe('it is nested too deeply');
});

it('a scenario file with aliases of aliases is rejected before they are resolved', () => {
  const lists = Array.from({ length: 12 }, (_, at) => `  - &l${at + 1} [${`*l${at},`.repeat(10)}]`);
  expect(broken(`name: x\nsteps:\n  - &l0 [x]\n${lists.join('\n')}\n`).reason).toMatch(/alias/i);
});

describe('invalid YAML scenario file', () => {
  it.each(BROKEN)('is rejected with line, column and reason: %j', (text, reason) => {
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
    const agents = HEAD.replace('bob', 'reach');
    expect(read(`${agents}steps:\n  - alice.account: {}\n    expect: ${expected}`)).toHaveLength(1);
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
