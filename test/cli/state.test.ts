import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from '../../src/index.js';
import { busyState } from '../persistence/state-file/support.js';
import { suiteFolder } from '../support/temporary-folder.js';
import { failing, succeeding } from './here.js';
import { Command, whileServing } from './process.js';

const folder = suiteFolder();
const file = join(folder, 'busy.sim');
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  writeFileSync(file, await busyState({ seed: 'kept' }));
});

const refused = (...args: string[]) => failing(2, ...args);

describe('agents of a loaded world', () => {
  const town = 'fixtures/worlds/small-town.sim';

  it('can sign in with the keys that sim start prints', async () => {
    await whileServing(['--state', town], async ({ origin, ready: { wallets }, agent: agentAt }) => {
      expect(wallets).toHaveLength(30);
      // The first agent of the town with savings.
      const agent = agentAt(10);
      expect((await agent.account()).savings.usdc).toBe(5_000);
      const control = new ControlClient({ origin });
      expect((await control.do('wallets')).wallets.map(({ secretKey }) => secretKey)).toEqual(
        wallets.map(({ secretKey }) => secretKey),
      );
      const { address: wallet } = agent.wallet;
      expect(await control.do('deposit', { body: { wallet, amount: 1, token: 'USDC' } })).toMatchObject({
        balance: { current: 1 },
      });
    });
  }, 60_000);

  it(
    'are listed with their keys in the summary, limited to twenty',
    { tags: ['slow'], timeout: 60_000 },
    async () => {
      const busy = ['--keys', '--state', 'fixtures/worlds/busy-month.sim'];
      const command = new Command(['start', '--port', '0', ...busy]);
      const summary = await command.printed('Stop with Ctrl-C.');
      expect(await command.endedBy('SIGTERM')).toBe(0);
      const [, made = ''] = summary.split('Wallets created by this world');
      expect(made.match(/^ {5}\w{80,90}$/gm)).toHaveLength(20);
      expect(made).toContain('and 180 more: GET /_sim/v1/wallets');
    },
  );
});

describe('sim state', () => {
  it('exports and imports a state between processes, byte for byte', async () => {
    const copy = at('copy.sim');
    await whileServing(['--state', file], async ({ origin, ready, agent }) => {
      expect([ready.engine, ready.seed]).toEqual(['litesvm', 'kept']);
      expect(await succeeding('state', 'export', copy, '--url', origin)).toMatch(
        /^file +\S+copy\.sim\nbytes +\d+\nchecksum +\w{64}$/,
      );
      expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);
      expect((await agent().loans()).loans).toHaveLength(6);

      await succeeding('time', 'advance', '30d', '--url', origin);
      expect(await succeeding('state', 'import', copy, '--url', origin)).toMatch(
        /^now +2026-01-04T00:00:00.000Z\nmode +frozen\n[^]*\nentries +\d+$/,
      );
      const exported = JSON.parse(
        await succeeding('state', 'export', copy, '--url', origin, '--json'),
      ) as object;
      expect(exported).toMatchObject({ file: copy, bytes: readFileSync(file).length });
      expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);

      const damagedFile = at('damaged.sim');
      const bytes = readFileSync(file);
      bytes[300] = (bytes[300] as number) ^ 1;
      writeFileSync(damagedFile, bytes);
      expect(await failing(1, 'state', 'import', damagedFile, '--url', origin)).toContain(
        'checksum does not match',
      );
      expect(await refused('state', 'import', at('none'), '--url', origin)).toContain(
        'cannot be read (ENOENT)',
      );
      expect(await refused('state', 'export', join(folder, 'no', 'where'), '--url', origin)).toContain(
        'cannot be written',
      );
      await succeeding('state', 'export', copy, '--url', origin);
      expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);
    });
  }, 60_000);

  it('exports drawn secrets only with --with-keys, into a file readable by its owner only', async () => {
    const [plain, keyed] = [at('plain.sim'), at('keyed.sim')];
    const config = at('config.json');
    writeFileSync(config, JSON.stringify({ freshSecrets: true, engine: 'litesvm', time: 'frozen' }));
    await whileServing(['--config', config], async ({ origin }) => {
      await succeeding('state', 'export', plain, '--url', origin);
      await succeeding('state', 'export', keyed, '--with-keys', '--url', origin);
    });
    expect(readFileSync(plain, 'latin1')).toContain('"secretSeed":null');
    expect(readFileSync(keyed, 'latin1')).toMatch(/"secretSeed":"\w/);
    expect(statSync(keyed).mode & 0o777).toBe(0o600);
  }, 60_000);

  it('rejects a foreign, damaged or newer file with one line and exit code 2', async () => {
    const foreign = at('foreign.sim');
    writeFileSync(foreign, '{"seed":1}\n');
    const cut = at('cut.sim');
    writeFileSync(cut, readFileSync(file).subarray(0, 2_000));
    const newer = at('newer.sim');
    copyFileSync(file, newer);
    const bytes = readFileSync(newer, 'latin1');
    writeFileSync(newer, bytes.replace('state 1\n', 'state 2\n'), 'latin1');
    for (const [path, words] of [
      [foreign, 'This is not an agent-bank-sim state file'],
      [cut, 'checksum does not match'],
      [newer, 'newer version'],
      [at('none'), 'cannot be read (ENOENT)'],
    ] as const)
      expect(await refused('start', '--port', '0', '--state', path)).toContain(words);
    for (const [option, value, words] of [
      ['--seed', '7', 'seed: the state file determines it'],
      ['--variant', 'review=auto', 'variants: the state file determines'],
      ['--engine', 'cluster', 'cannot be loaded on a cluster'],
    ] as const)
      expect(await refused('start', '--state', file, option, value)).toContain(words);
    expect(await refused('state')).toContain('export, import');
  });
});
