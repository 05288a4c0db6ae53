import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFile } from '../../../../src/testing/scenario/file/load.js';
import { readYaml } from '../../../../src/testing/scenario/file/yaml.js';
import { playScenario } from '../../../../src/testing/scenario/play/play.js';
import { world } from '../../../support/world.js';
import type { Scenario } from '../../../../src/testing/scenario/scenario.js';
import { PLAY_OPTIONS, loaded, played, scenarioOf, troubles } from '../played.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const HEAD = 'name: x\nagents: { alice: {}, bob: {} }\n';
const TAIL = '\nsteps: [alice.account]\n';

describe('scenario file', () => {
  it('holds several scenarios, each with its own id and line', () => {
    const text = `${HEAD}steps: [alice.account]\n---\n# the second\nname: y\nagents: { bob: {} }\nsteps: [bob.loans]\n`;
    expect(readYaml(text, 'a.yaml', '/nowhere/a.yaml')).toMatchObject([
      { id: 'a.yaml', file: 'a.yaml', line: 1, name: 'x' },
      { id: 'a.yaml#2', file: 'a.yaml', line: 6, name: 'y' },
    ]);
  });

  it('is read with all its members, and defaults for missing ones', () => {
    const plain = scenarioOf(`${HEAD}steps:\n  - alice.account\n`);
    const defaults = { description: null, tags: [], invariants: 'always', finally: null };
    expect(plain).toMatchObject({ ...defaults, agents: { alice: {}, bob: {} } });
    const whole = scenarioOf(
      [
        'name: all of it',
        'description: more words',
        'tags: [slow, money]',
        'world:',
        '  { seed: 7, engine: litesvm, startTime: 2026-03-01T00:00:00Z, time: 60x, variants: { overview: A },',
        '    review: auto, oracle: { usdc: 1.7%, sol: 0.05, solUsd: 200 } }',
        'invariants: end',
        'agents: { alice: null }',
        'steps:',
        '  - alice.account: {}',
        'finally: { chain: { alice: { usdc: 0 } } }',
      ].join('\n'),
    );
    expect(whole).toMatchObject({
      finallyLine: 11,
      description: 'more words',
      tags: ['slow', 'money'],
      invariants: 'end',
      agents: { alice: {} },
      world: {
        seed: 7,
        engine: 'litesvm',
        startTime: '2026-03-01T00:00:00Z',
        time: '60x',
        variants: { overview: 'A', review: 'auto' },
        oracle: { usdcApy: 0.017, solApy: 0.05, solUsd: 200 },
      },
      finally: { chain: { alice: { usdc: 0 } } },
    });
  });

  it('gives an agent the belongings of its persona unless it states others', () => {
    const { agents } = scenarioOf(`name: x
agents:
  rich: { persona: spender }
  poor: { persona: spender, usdc: 1, checking: { usdc: 2 } }
steps: [rich.account]
`);
    expect(agents).toEqual({
      rich: { persona: 'spender', usdc: 100, sol: 2, checking: { usdc: 5_000, sol: 20 } },
      poor: { persona: 'spender', usdc: 1, sol: 2, checking: { usdc: 2 } },
    });
  });

  it('begins with a state from its own folder, and with wallets that it has', async () => {
    const sim = await world({ seed: 'saved' });
    await sim.agent(3).fund(7, 'USDC');
    const [scenario] = (await loaded(
      `name: x
world: { state: world.sim }
agents: { alice: { wallet: 3 }, bob: {} }
steps:
  - alice.withdraw: { amount: 7, token: USDC }
  - bob.withdraw: { amount: 7, token: USDC }
    expect: { code: insufficient_balance }
`,
      'a.yaml',
      { 'world.sim': await sim.exportState() },
    )) as [Scenario];
    // The seed of a run is for worlds that have none.
    const result = await playScenario(scenario, { ...PLAY_OPTIONS, seed: 'other' });
    expect(troubles(result)).toEqual([]);
    expect(result.seed).toBe('saved');
  });

  it.each([
    [`world: { state: missing.sim }${TAIL}`, 'a.yaml:2:10: world.state: missing.sim cannot be read (ENOENT)'],
    [`world: { state: /dev/zero }${TAIL}`, 'it is outside the scenario folder'],
    [`world: { state: "data:;base64,AAAA", seed: 1 }${TAIL}`, 'the state file determines it'],
    [`world: { state: "data:;base64,AAAA", review: auto }${TAIL}`, 'the state file determines it'],
    ['world: { state: "data:;base64,AAAA" }\nproperty: {}\n', 'a property is played in new worlds'],
    [`agents: { bob: { wallet: 1, usdc: 5 } }${TAIL}`, 'an existing wallet keeps its balances'],
    [`agents: { bob: { wallet: 1, persona: saver } }${TAIL}`, 'an existing wallet keeps its balances'],
    [`agents: { bob: { wallet: 10 } }${TAIL}`, 'agents.bob.wallet'],
  ])('refuses %j', async (lines, text) => {
    expect(await loaded(`name: x\n${lines}`).then(String, String)).toContain(text);
  });

  it('fails on a damaged state, and on a wallet that is no address', async () => {
    for (const [text, reason] of [
      [
        'world: { state: "data:;base64,AAAA" }\nagents: { alice: {} }',
        'world: This is not an agent-bank-sim state',
      ],
      ['agents: { alice: { wallet: nobody } }', 'nobody'],
    ] as const) {
      const result = await played(`name: x\n${text}${TAIL}`);
      expect(result.verdict).toBe('failed');
      expect(result.reason).toContain(reason);
    }
  });

  it('reads a series of rates from its own folder', async () => {
    const rates = 'time,usdc_apy\n2026-01-01T00:00:00Z,0.02\n';
    const text = `name: x\nworld: { oracle: { file: rates.csv } }\nagents: { alice: {} }${TAIL}`;
    const [scenario] = await loaded(text, 'a.yaml', { 'rates.csv': rates });
    expect(scenario?.world.oracle?.csv).toContain('usdc_apy');
  });

  it('reads no series outside its folder, by path, link or device', async () => {
    const [at, elsewhere] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(elsewhere, 'secret.csv'), 'top secret\n');
    symlinkSync(join(elsewhere, 'secret.csv'), join(at, 'link.csv'));
    symlinkSync('/dev/zero', join(at, 'zero.csv'));
    const outside = [join(elsewhere, 'secret.csv'), '/dev/zero', '/etc/passwd'];
    for (const file of [...outside, 'link.csv', 'zero.csv', '.']) {
      const text = `name: x\nworld: { oracle: { file: ${file} } }\nagents: { alice: {} }${TAIL}`;
      writeFileSync(join(at, 'a.yaml'), text);
      const error = await loadFile('a.yaml', at).then(String, String);
      expect(error, file).toMatch(/cannot be read \(it is (outside the scenario folder|not a regular file)/);
      expect(error).not.toContain('top secret');
    }
  });
});

describe('step', () => {
  const stepOf = (text: string) => {
    const { play } = scenarioOf(`${HEAD}steps:\n${text}`);
    return play.kind === 'steps' ? play.steps : [];
  };

  it('is a word, or a member with arguments, and has its line number', () => {
    const [word, bare, whole] = stepOf(
      '  - alice.account\n  - time.freeze:\n  - alice.withdraw: { amount: 1 }\n    expect: { status: 200 }\n    save: paid\n    note: words\n    key: k1\n    headers: { x-a: b }\n',
    );
    expect(word).toEqual({
      title: 'alice.account',
      does: { kind: 'agent', agent: 'alice', verb: 'account', args: undefined },
      line: 4,
    });
    expect(bare).toMatchObject({
      title: 'time.freeze',
      does: { kind: 'world', verb: 'time.freeze' },
      line: 5,
    });
    expect(whole).toMatchObject({
      does: { kind: 'agent', agent: 'alice', verb: 'withdraw', args: { amount: 1 } },
      expect: { status: 200 },
      save: 'paid',
      note: 'words',
      key: 'k1',
      headers: { 'x-a': 'b' },
      line: 6,
    });
  });

  it('checks the world when it has nothing but expect', () => {
    const [look] = stepOf('  - expect: { chain: { alice: { usdc: 1 } } }\n    note: a look\n');
    expect(look).toMatchObject({
      title: 'expect',
      does: { kind: 'expect', expectations: { chain: { alice: { usdc: 1 } } } },
      note: 'a look',
    });
  });

  it('takes references in place of numbers, words and lists', () => {
    const steps = [
      'alice.send: { to: "${bob}", amount: "${paid.amount}", token: "${paid.token}" }',
      'faucet.give: { to: alice, usdc: "${much}" }',
      'time.scale: "${factor}"',
      'oracle.set: { usdc: "${rate}", solUsd: "${price}" }',
      'oracle.outage: "${isOut}"',
      'repeat: { times: "${rounds}", steps: [{ time.advance: { by: "${round}s" } }] }',
      'alice.buy: { from: shop, maxAmount: { USDC: "${most}" } }',
      'expect: { checking.usdc: { between: ["${low}", "${high}"], near: "${sum}", oneOf: ["${a}"] } }',
    ];
    expect(stepOf(steps.map((step) => `  - ${step}`).join('\n'))).toHaveLength(steps.length);
  });
});
