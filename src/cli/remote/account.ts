import { writeFileSync } from 'node:fs';
import { RENT_EXEMPT_EPOCH } from '../../chain/solana/token-accounts.js';
import { toJson } from '../../core/exact-json.js';
import { readAccountFile } from '../../runtime/accounts/account-files.js';
import { accountJson } from '../../runtime/accounts/account-json.js';
import { required, text } from '../arguments.js';
import { RemoteRefusal, writing } from '../usage.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';

const ADDRESS = { address: required('address on chain') } as const;

export const ACCOUNT = commandGroup('account', 'read and write accounts on chain', [
  NO_DEFAULT,
  remoteCommand('account', {
    command: 'show <address>',
    options: ADDRESS,
    describe: 'show an account: lamports, owner, size',
    examples: [['account show 9xQe…', 'use sim account dump for its data']],
    print: ({ pubkey, account }) =>
      account === null
        ? `${pubkey} does not exist`
        : `${pubkey}: ${account.lamports} lamports, owner ${account.owner}, ${account.space} bytes${account.executable ? ', executable' : ''}`,
  }),
  remoteCommand('account', {
    command: 'dump <address> [file]',
    describe: 'print an account, or write it to a file, as solana account --output json does',
    options: { ...ADDRESS, file: text('file to write') },
    examples: [['account dump 9xQe… price.json', 'then: sim account set - price.json']],
    call: async (control, ask, { file = null }) => {
      const { pubkey, account } = await control.do('account', ask);
      if (account === null) throw new RemoteRefusal(`${pubkey} does not exist`);
      const { data, executable, lamports, owner, space } = account;
      const rentEpoch = BigInt(account.rentEpoch ?? RENT_EXEMPT_EPOCH);
      const inOrder = { data, executable, lamports: BigInt(lamports), owner, rentEpoch, space };
      const written = `${toJson({ pubkey, account: inOrder })}\n`;
      if (file !== null) writing(file, () => writeFileSync(file, written));
      return { file, text: written };
    },
    print: (dumped) => dumped.file ?? dumped.text.trimEnd(),
  }),
  remoteCommand('setAccounts', {
    command: 'set <address> <file>',
    describe: 'write an account from a file of solana account --output json, bypassing transaction rules',
    omit: ['accounts'],
    options: {
      address: required('address on chain; - for the one in the file'),
      file: required('JSON file'),
    },
    examples: [['account set - price.json', 'at the address in the file']],
    call: async (control, _ask, { address, file }) => {
      const { pubkey, account } = readAccountFile(file);
      const accounts = [accountJson(address === '-' ? pubkey : address, account)];
      return control.do('setAccounts', { body: { accounts } });
    },
  }),
  remoteCommand('setAccounts', {
    command: 'remove <address>',
    describe: 'remove an account',
    omit: ['accounts'],
    options: ADDRESS,
    examples: [['account remove 9xQe…', 'with its balance and data']],
    call: (control, _ask, { address }) =>
      control.do('setAccounts', { body: { accounts: [{ pubkey: address, account: null }] } }),
    print: ({ accounts }) => `${accounts.join()} removed`,
  }),
]);
