import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  STATE_FORMAT,
  STATE_LAYOUT,
  readState,
  writeState,
} from '../../../src/persistence/state-file/file.js';
import { StateError } from '../../../src/persistence/state-file/state-error.js';
import { dumpOf } from '../../support/dump.js';
import { world } from '../../support/world.js';
import { bodyAt, busyState, from, keepBusy, openly, sealed } from './support.js';
import { forAllOf } from '../../support/for-all.js';

let state: Buffer;

beforeAll(async () => {
  state = await busyState();
});

/** The code of the error of reading bytes. */
function codeOf(bytes: Uint8Array): string {
  try {
    readState(bytes);
    return 'read';
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    expect(error.message.length).toBeGreaterThan(30);
    return error.code;
  }
}

/** The content of a file that was read and written again; null for one that cannot be. */
function again(file: Buffer): Buffer | null {
  try {
    return openly(Buffer.from(writeState(readState(file)))).world;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return null;
  }
}

describe('a state file is rejected', () => {
  it('when any bit is flipped', () => {
    forAllOf(500, fc.nat(state.length - 1), fc.nat(7), (at, bit) => {
      const bytes = Buffer.from(state);
      bytes[at] = (bytes[at] as number) ^ (1 << bit);
      const first = bytes.indexOf('\n');
      const expected = at < 'agent-bank-sim state '.length ? ['not_a_state'] : ['state_damaged'];
      if (at >= 21 && at <= first + 1) expected.push('state_of_another_version');
      expect(expected).toContain(codeOf(bytes));
    });
  });

  it('when it is truncated or has extra bytes', () => {
    forAllOf(300, fc.nat(state.length - 1), (length) => {
      expect(['not_a_state', 'state_damaged']).toContain(codeOf(state.subarray(0, length)));
    });
    expect(codeOf(Buffer.concat([state, Buffer.from([0])]))).toBe('state_damaged');
    expect(codeOf(Buffer.concat([state, state]))).toBe('state_damaged');
  });

  it('when it is of a newer format or another layout', () => {
    const { head } = openly(state);
    const body = state.subarray(bodyAt(state), -32);
    expect(codeOf(sealed(head, body))).toBe('read');
    const newer = sealed(head.replace(`state ${STATE_FORMAT}\n`, `state ${STATE_FORMAT + 1}\n`), body);
    expect(codeOf(newer)).toBe('state_of_another_version');
    expect(() => readState(newer)).toThrow(
      /format 2, and this agent-bank-sim reads 1: a newer version wrote it/,
    );
    const other = sealed(head.replace(STATE_LAYOUT, '0123456789abcdef'), body);
    expect(codeOf(other)).toBe('state_of_another_version');
  });

  it('when it is a different file', () => {
    const others = [
      '',
      '\n',
      '{"config":{}}',
      'PK\u0003\u0004',
      'agent-bank-sim',
      'agent-bank-sim states 1\n',
    ];
    for (const text of others) expect(codeOf(Buffer.from(text)), text).toBe('not_a_state');
  });

  it('without a crash when its checksum is valid and its content is not', { tags: ['slow'] }, () => {
    const { head, world: plain } = openly(state);
    let readable = 0;
    forAllOf(200, fc.nat(plain.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = Buffer.from(plain);
      bytes[at] = (bytes[at] as number) ^ change;
      const file = sealed(head, deflateRawSync(bytes));
      const code = codeOf(file);
      expect(['read', 'state_damaged']).toContain(code);
      if (code !== 'read') return;
      // By chance it may be a valid world, but another one: no byte is ignored.
      readable += 1;
      expect(again(file)?.equals(plain) ?? false).toBe(false);
    });
    expect(readable).toBeLessThan(200);
    expect(codeOf(sealed(head, Buffer.from('no deflate')))).toBe('state_damaged');
    expect(codeOf(sealed(head, deflateRawSync(Buffer.concat([plain, Buffer.from([1])]))))).toBe(
      'state_damaged',
    );
    expect(codeOf(sealed(head.replace('{', '['), deflateRawSync(plain)))).toBe('state_damaged');
  });

  it('when its header is invalid or has impossible options', () => {
    const { head } = openly(state);
    const body = state.subarray(bodyAt(state), -32);
    const [first = '', json = ''] = head.split('\n');
    const header = JSON.parse(json) as { config: Record<string, unknown> };
    const of = (told: unknown) => sealed(`${first}\n${JSON.stringify(told)}\n`, body);
    const withConfig = (config: object) => of({ ...header, config: { ...header.config, ...config } });
    expect(codeOf(of(header))).toBe('read');
    const hostile: unknown[] = [null, 7, [], {}, { ...header, config: null }, { ...header, config: {} }];
    for (const worldBytes of [-1, 1e300, '9', null]) hostile.push({ ...header, worldBytes });
    for (const secretSeed of [5, {}, 'x'.repeat(10_000)]) hostile.push({ ...header, secretSeed });
    for (const told of hostile)
      expect(codeOf(of(told)), JSON.stringify(told).slice(0, 80)).toBe('state_damaged');
    for (const config of [
      { seed: 7 },
      { seed: 'x'.repeat(201) },
      { engine: 'cluster' },
      { engine: '../litesvm' },
      { variants: { review: 'manual' } },
      { withdrawalDelayMs: -5 },
      { withdrawalDelayMs: 1e300 },
      { confirmationSlots: { confirmed: 9, finalized: 1 } },
      { confirmationSlots: { confirmed: 0, finalized: 1e9 } },
      { maxAgeMs: -1 },
      { more: true },
    ])
      expect(codeOf(withConfig(config)), JSON.stringify(config).slice(0, 80)).toBe('state_damaged');
  });

  it('and the world that was to import it is unchanged', async () => {
    const sim = await world({ engine: 'litesvm', variants: { withdrawals: 'queued' } });
    await keepBusy(sim);
    const dump = await dumpOf(sim);
    const bytes = Buffer.from(state);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    await expect(sim.importState(bytes)).rejects.toMatchObject({ code: 'state_damaged' });
    await expect(sim.importState('/there/is/none')).rejects.toThrow('cannot be read (ENOENT)');
    await expect(from(bytes)).rejects.toThrow(StateError);
    expect(await dumpOf(sim)).toBe(dump);
  });
});

it('a change of the state file’s layout requires a new format number, unless files of the one before can be read', () => {
  // When this fails, the layout has changed: raise STATE_FORMAT, or list the earlier layout, and write the new one here.
  expect({ format: STATE_FORMAT, layout: STATE_LAYOUT }).toEqual({ format: 1, layout: '50529dcc804c725f' });
});
