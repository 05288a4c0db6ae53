import { expect, it } from 'vitest';
import { brokenYaml } from '../testing/scenario/file/broken-yaml.js';

const HEAD = 'name: x\nagents: { alice: {}, bob: {} }\n';
const TAIL = '\nsteps: [alice.account]\n';

/** A text with one step of alice. */
const step = (text: string) => `${HEAD}steps:\n  - ${text}`;

/** Texts with a mark where they are wrong. */
const BROKEN: readonly string[] = [
  // The text itself.
  `${HEAD}steps: [alice.account¦`,
  'name: x\nagents:\n¦\talice: {}\n',
  'name: x\n¦name: y\nsteps: [a]\n',
  'name: "x\n¦',
  '¦null\n',
  '¦',
  `name: ¦Alice: pays${TAIL}`,
  '¦name: *who\n',
  // Braces that YAML reads as a flow map.
  step('alice.send: { amount: 1, to: ¦${bob}, token: SOL }'),
  `${HEAD}finally:\n  chain: { ¦\${bob}: { usdc: 1 } }${TAIL}`,
  step('expect: { noEvents: [¦to-${bob}-x, other] }'),
  // Members.
  `name: x\n¦step: []${TAIL}`,
  '¦steps: [alice.account]',
  `¦name: ""${TAIL}`,
  `name: x\n¦tags: slow${TAIL}`,
  `name: x\ntags:\n  - slow\n  - ¦{}${TAIL}`,
  `name: x\n¦invariants: sometimes${TAIL}`,
  `${HEAD}finally:\n  journal: { ¦pocket: {} }${TAIL}`,
  `${HEAD}finally:\n  events: [{ ¦kind: miracle }]${TAIL}`,
  step('alice.account: {}\n    expect:\n      status: { ¦between: 5 }'),
  step('expect: { chain: { bob: { usdc: { ¦matches: "(" } } } }'),
  `${HEAD}finally: { journal: { checking: { USDC: { ¦near: much } } } }${TAIL}`,
  step('alice.account: {}\n    expect: { checking: { usdc: { ¦abov: 5 } } }'),
  `${HEAD}finally:\n  journal: { checking: { USDC: { atLeast: 5, ¦at_most: 6 } } }${TAIL}`,
  step('expect: { chain: { bob: { usdc: { ¦neer: "${x}" } } } }'),
  // Names of events and codes that would never occur.
  step('expect: { noEvents: [deposit, ¦outflow.postd] }'),
  step('expect: { events: [¦wihdrawal.completed] }'),
  step('alice.account: {}\n    expect: { code: { ¦not: not_fuond } }'),
  step('expect: { noEvents: [¦money.withdrawn, withdrawal] }'),
  step('expect: { noEvents: ["${a}", deposit, ¦withdrawal] }'),
  // A code is no event.
  step('expect: { noEvents: [¦not_found] }'),
  `${HEAD}finally: { noEvents: [¦loan.lost] }${TAIL}`,
  'name: x\nproperty: { never: [not_found, ¦own_code] }',
  'name: x\nproperty: { never: [¦insuficient_balance] }',
  'name: x\nproperty: { sometimes: [¦reqest] }',
  step('¦alice.buy: { from: shop }'),
  step('time.advance: { ¦until: loan.deu, within: 1d }'),
  step('alice.account: {}\n    expect: { chain: { alice: {}, treasury: {}, ¦carol: { usdc: 1 } } }'),
  step('wait: { until: { expect: { chain: { ¦alcie: {} } } } }'),
  `${HEAD}finally: { chain: { ¦carol: { usdc: 1 } } }${TAIL}`,
  'name: x\nproperty: { agents: 1 }\nfinally: { chain: { ann: {}, ¦ben: {} } }',
  // Agents.
  `name: x\nagents:\n  ¦treasury: {}${TAIL}`,
  `name: x\nagents:\n  ¦time: {}${TAIL}`,
  `name: x\nagents:\n  ¦Alice Smith: {}${TAIL}`,
  `name: x\nagents:\n  alice:\n    ¦usdc: -1${TAIL}`,
  `name: x\nagents:\n  alice:\n    ¦persona: hermit${TAIL}`,
  // The world.
  `name: x\nworld:\n  variants:\n    ¦overview: C${TAIL}`,
  `name: x\nworld:\n  oracle:\n    ¦usdc: -1${TAIL}`,
  `name: x\nworld:\n  oracle:\n    ¦file: no.csv${TAIL}`,
  `name: x\nworld:\n  ¦startTime: yesterday${TAIL}`,
  `name: x\nworld:\n  ¦engine: cluster${TAIL}`,
  `name: x\nworld:\n  ¦withdrawalDelay: soon${TAIL}`,
  `name: x\nworld:\n  seed: 1\n  ¦review: whenever${TAIL}`,
  // Steps.
  `¦${HEAD}`,
  `¦${HEAD}steps: []`,
  `${HEAD}¦property: {}${TAIL}`,
  step('alice.account\n  - ¦carol.account'),
  step('¦alcie.withdraw: {}'),
  step('¦alice.acount: {}'),
  step('¦alice: {}'),
  step('¦time.advanc: 1d'),
  step('alice.account: {}\n    ¦bob.account: {}'),
  step('¦note: hello'),
  step('¦5'),
  step('alice.account: {}\n    ¦save: 5'),
  step('alice.send:\n      to: bob\n      amount: 1\n      ¦token: EUR'),
  step('¦alice.send: { to: bob, token: SOL }'),
  step('faucet.give: { to: bob, ¦eur: 1 }'),
  step('¦oracle.outage: maybe'),
  step('oracle.set: { ¦usdc: high }'),
  step('control: { ¦do: dance }'),
  step('control: { ¦command: x }'),
  // Values beside references.
  step('alice.send: { to: "${bob}", amount: "${x}", ¦token: EUR }'),
  step('faucet.give: { to: "${bob}", usdc: "${x}", ¦sol: -1 }'),
  // What could pass without being checked.
  step('alice.account:\n      ¦expect: { checking.usdc: 999 }'),
  step('repeat: { times: 1, steps: [alice.account], ¦expect: {} }'),
  step('repeat: { ¦times: 0, steps: [alice.account] }'),
  step('¦parallel: []'),
  step('{ expect: { chain: { bob: { usdc: 0 } } }, ¦save: a }'),
  step('{ alice.account: {}, expect: { ¦checking.usdc: { by: 5 } } }'),
  step('{ expect: { journal: { checking: { ¦usdc: { not: 1 } } } } }'),
  step('¦oracle.set: {}'),
  step('¦faucet.give: { to: bob }'),
  // Steps that hold others.
  step('¦repeat:\n      steps: [alice.account]'),
  step('repeat:\n      times: 2\n      steps:\n        - alice.account\n        - ¦carol.account'),
  step('parallel:\n      - alice.account\n      - ¦alice.dance'),
  step('wait:\n      until: alice.account\n      ¦within: soon'),
  step('wait:\n      until: alice.account\n      ¦every: 0s'),
  step('¦wait: { within: 1s }'),
  step('wait: { until: alice.account, ¦forever: true }'),
  // Properties.
  'name: x\nproperty:\n  behaviours: { ¦hermit: 1 }',
  'name: x\nproperty:\n  operations:\n    - withdraw\n    - ¦fly',
  'name: x\n¦agents: { alice: {} }\nproperty: {}',
  'name: x\nproperty:\n  ¦agents: 11',
];

it.each(BROKEN)('a scenario file is refused with line and column: %j', (text) => {
  const { line, column, reason } = brokenYaml(text.replace('¦', ''));
  const before = text.slice(0, text.indexOf('¦')).split('\n');
  expect([line, column], reason).toEqual([before.length, (before.at(-1)?.length ?? 0) + 1]);
});

it('what users see in the messages about scenario files is as it was', async () => {
  const told = BROKEN.map((text) => `${text.trim()}\n=> ${brokenYaml(text.replace('¦', '')).reason}\n`);
  await expect(told.join('\n')).toMatchFileSnapshot('outputs/scenario-faults.txt');
});
