// @module-tag slow
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../src/world/keys.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { failing } from './here.js';
import { world } from '../support/world.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const keys = new KeyRing('cli accounts');
const address = (at: number) => keys.derive(`account ${at}`).address;
const text = (pubkey: string) =>
  JSON.stringify({
    pubkey,
    account: { lamports: 5, data: ['AQID', 'base64'], owner: address(0), executable: false },
  });

// What an account may be: test/runtime/accounts.test.ts.
describe('accounts of sim start', () => {
  it('are refused with one line that names the reason', async () => {
    const [dir, twice] = [temporaryFolder(), temporaryFolder()];
    const file = (name: string, content: string | Uint8Array, at = dir) => {
      writeFileSync(join(at, name), content);
      return join(at, name);
    };
    const good = file('good.json', text(address(1)), twice);
    const again = file('again.json', text(address(1)), twice);
    const cases: [string, string[]][] = [
      ['--account needs more values', ['--account', good]],
      ['--account: ', ['--account', 'nowhere', good]],
      ['cannot be read (ENOENT)', ['--account', '-', join(dir, 'missing.json')]],
      ['not valid JSON', ['--account', '-', file('broken.json', '{"pubkey":')]],
      ['not valid JSON', ['--account', '-', file('binary.json', memoProgram())]],
      ['is not an account', ['--account', '-', file('list.json', '[]')]],
      ['more than 16777216 bytes', ['--account', '-', file('long.json', ' '.repeat(16_777_217))]],
      [`${address(1)} is given twice: by `, ['--account', '-', good, '--account', '-', again]],
      ['is given twice', ['--account-dir', twice]],
      ['cannot be read (ENOENT)', ['--account-dir', join(dir, 'missing')]],
      ['not the ELF file', ['--bpf-program', address(3), good]],
      ['not a regular file', ['--bpf-program', address(3), '/dev/zero']],
      ['--upgradeable-program needs more values', ['--upgradeable-program', address(3), good]],
      ['--clone: requires --clone-url', ['--clone', address(3)]],
      ['--clone-url: requires --clone', ['--clone-url', 'http://127.0.0.1:1']],
      ['http or https', ['--clone', address(3), '--clone-url', 'ftp://127.0.0.1']],
      ['cannot be reached', ['--clone', address(3), '--clone-url', 'http://127.0.0.1:1']],
      ['on a cluster', ['--engine', 'cluster', '--account', '-', good]],
    ];
    for (const [reason, args] of cases)
      expect(await failing(2, 'start', '--port', '0', ...args)).toContain(reason);
  });

  it('may be a thousand in a folder, whose other files are left alone', async () => {
    const dir = temporaryFolder();
    for (let at = 0; at < 1_000; at += 1) writeFileSync(join(dir, `${at}.json`), text(address(at)));
    writeFileSync(join(dir, 'README.md'), 'accounts');
    mkdirSync(join(dir, 'folder.json'));
    symlinkSync('/dev/zero', join(dir, 'endless.json'));
    symlinkSync('/nowhere', join(dir, 'dangling.json'));
    const sim = await world({ accounts: [dir] });
    for (const at of [0, 999]) expect((await sim.accounts.get(address(at))).account?.lamports).toBe(5);
    expect(await sim.invariants()).toEqual([]);
  });
});
