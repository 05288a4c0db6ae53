import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suiteFolder } from '../support/temporary-folder.js';
import { here } from './here.js';
import { type Serving, whileServing } from './process.js';

const folder = suiteFolder();
const at = (name: string) => join(folder, name);
const LITESVM = ['--engine', 'litesvm'];

async function sessionOf({ agent: agentAt }: Serving): Promise<void> {
  const agent = agentAt();
  await agent.signIn();
  await agent.account();
  await agent.withdraw({ amount: 5, token: 'USDC' }).catch(() => undefined);
}

describe('recording commands', { tags: ['slow'] }, () => {
  it('sim start records until it stops, and sim replay reports the differences', async () => {
    const file = at('session.ndjson');
    const log = at('events.ndjson');
    await whileServing([...LITESVM, '--record', file, '--log', log, '--time', '60x'], sessionOf);
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(rows[0] ?? '')).toMatchObject({
      format: 'agent-bank-sim recording',
      version: 2,
      time: '60x',
    });
    expect(JSON.parse(rows.at(-1) ?? '')).toMatchObject({ kind: 'end', inputs: 4 });

    const same = await here('replay', file);
    expect(same).toMatchObject({ code: 0, stderr: '' });
    expect(same.stdout).toContain('4 inputs replayed on litesvm');
    expect(await here('replay', file, '--engine', 'bankrun', '--json')).toMatchObject({ code: 0 });

    writeFileSync(
      at('changed.ndjson'),
      rows.join('\n').replace('"code":"insufficient_balance"', '"code":"no_money"'),
    );
    const other = await here('replay', at('changed.ndjson'));
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(
      /line 6: withdraw by dev-0: code expected "no_money", got "insufficient_balance"/,
    );
    expect(other.stdout).toMatch(/withdraw +1 {2}1 different/);

    const end = JSON.stringify({ ...JSON.parse(rows.at(-1) ?? ''), inputs: 0 });
    for (const [lines, text] of [
      [rows.slice(0, -1), 'all responses match\nThe recording is incomplete'],
      [[rows[0], end], 'The recording has no inputs.'],
    ] as const) {
      writeFileSync(at('cut.ndjson'), lines.join('\n'));
      const stdout = expect.stringContaining(text) as string;
      expect(await here('replay', at('cut.ndjson'))).toMatchObject({ code: 1, stdout });
    }

    writeFileSync(at('cut.ndjson'), rows.slice(0, -1).join('\n'));
    const convert = () => here('record', 'to-scenario', at('cut.ndjson'), at('made.yaml'));
    expect((await convert()).stderr).toContain('the recording is incomplete');
    const taken = expect.stringContaining('made.yaml is not empty; name another file') as string;
    expect(await convert()).toMatchObject({ code: 2, stderr: taken });
  });

  it('a recording of a resumed data folder begins with its state', async () => {
    const [file, data] = [at('goes-on.ndjson'), at('data')];
    await whileServing([...LITESVM, '--data-dir', data], sessionOf);
    await whileServing([...LITESVM, '--data-dir', data, '--record', file], sessionOf);
    const { state } = JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '') as { state: unknown };
    expect(typeof state).toBe('string');
    expect(await here('replay', file)).toMatchObject({ code: 0, stderr: '' });
  });

  it('sim record starts and stops a recording of a running simulator', async () => {
    const file = at('later.ndjson');
    await whileServing(LITESVM, async (server) => {
      const url = ['--url', server.origin];
      await sessionOf(server);
      expect(await here('record', 'start', ...url)).toMatchObject({ code: 0 });
      expect((await here('record', 'start', ...url)).stderr).toContain('a recording is in progress');
      await sessionOf(server);
      expect(await here('record', 'stop', file, ...url)).toMatchObject({ code: 0 });
      expect(await here('record', 'stop', file, ...url)).toMatchObject({ code: 2 });
      expect(await here('record', 'stop', at('none'), ...url)).toMatchObject({ code: 1 });
    });
    expect(await here('replay', file)).toMatchObject({ code: 0, stderr: '' });
  });
});

it('foreign and damaged recordings and those of other versions are rejected as wrong usage', async () => {
  const cases: [string, RegExp][] = [
    ['{"format":"something else"}\n', /something else/],
    ['not JSON', /bad is not JSON|bad is not a recording/],
    ['{"format":"agent-bank-sim recording","version":3}\n', /version 3.*reads version 2/],
    ['{"format":"agent-bank-sim recording","version":2}\n', /damaged at line 1/],
  ];
  for (const [text, message] of cases) {
    writeFileSync(at('bad'), text);
    const { code, stderr } = await here('replay', at('bad'));
    expect(code, text).toBe(2);
    expect(stderr).toMatch(message);
  }
  expect(await here('replay', at('nothing'))).toMatchObject({ code: 2 });
  expect(await here('start', '--port', '0', '--record', at('no/such/folder'))).toMatchObject({ code: 2 });
});
