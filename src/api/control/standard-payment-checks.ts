import { type WireTransaction, MalformedTransaction, parseTransaction } from '../../chain/solana/wire.js';
import { verifySignature } from '../../chain/signatures.js';
import { associatedTokenAddress } from '../../chain/solana/token-accounts.js';
import { isAddress } from '../../core/domain/inputs.js';
import { STANDARD_NETWORKS } from '../../sdk/x402/standard/offer.js';
import { parseInstruction } from '../rpc/parsed/instructions.js';
import { type PaymentCheck, type PaymentWorld, equal, holds, open } from './payment-check.js';

type Members = Readonly<Record<string, unknown>>;

const NETWORKS_V1: Readonly<Record<string, string>> = STANDARD_NETWORKS;

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

/** Checks a payment of standard x402, of either version, against the bank and the requirements that the payer accepted. */
export function standardChecks(value: Members, world: PaymentWorld): PaymentCheck[] {
  const { caip2 } = world.bank.addresses;
  const version = value['x402Version'];
  const isVersion = version === 1 || version === 2;
  const versionCheck = holds('x402Version', isVersion, { expected: '1 or 2', got: version });
  if (!isVersion) return [versionCheck];
  // Version 2 repeats the requirements that the payer has accepted; version 1 names scheme and network only.
  const accepted = version === 2 ? membersOf(value['accepted']) : value;
  const network = version === 2 ? caip2 : (NETWORKS_V1[caip2] ?? caip2);
  const text = membersOf(value['payload'])['transaction'];
  const wire = wireOf(text);
  return [
    versionCheck,
    equal('scheme', 'exact', accepted['scheme']),
    equal("network is the bank's", network, accepted['network']),
    holds('transaction can be read', wire !== null, {
      expected: 'base64 of a Solana transaction',
      got: typeof text === 'string' ? `${text.length} characters` : text,
    }),
    ...(wire === null ? [] : transactionChecks(wire, version === 2 ? accepted : null, world)),
  ];
}

function wireOf(text: unknown): WireTransaction | null {
  if (typeof text !== 'string') return null;
  try {
    return parseTransaction(Buffer.from(text, 'base64'));
  } catch (error) {
    if (error instanceof MalformedTransaction) return null;
    throw error;
  }
}

interface Parsed {
  readonly program: string;
  readonly parsed: unknown;
}

function parsedOf({ instructions, keys }: WireTransaction): Parsed[] {
  return instructions.flatMap(({ programIdIndex, accounts, data }) => {
    const named = accounts.map((at) => keys[at] ?? '');
    const known = parseInstruction({ programId: keys[programIdIndex] ?? '', accounts: named, data });
    return known === null ? [] : [known];
  });
}

function transactionChecks(
  wire: WireTransaction,
  accepted: Members | null,
  { bank: { addresses }, chain, config }: PaymentWorld,
): PaymentCheck[] {
  const parsed = parsedOf(wire);
  const transfers = parsed.flatMap(({ parsed: one }) =>
    membersOf(one)['type'] === 'transferChecked' ? [membersOf(membersOf(one)['info'])] : [],
  );
  const memo = parsed.find(({ program }) => program === 'spl-memo')?.parsed;
  const one = holds('one transfer of tokens', transfers.length === 1, {
    expected: 'one transferChecked',
    got: transfers.length,
  });
  const [transfer] = transfers;
  return [
    one,
    ...(transfer === undefined ? [] : transferChecks(transfer, accepted, addresses.usdcMint)),
    equal('fee payer is the facilitator', addresses.facilitator.address, wire.keys[0] ?? null),
    ...signatureChecks(wire),
    // Version 2 binds the payment to its request by the memo.
    accepted === null ? open('memo is the request', memo) : memoCheck(memo, accepted),
    config.cluster === null
      ? holds('blockhash is recent', chain.isRecent(wire.blockhash), {
          expected: 'one of the last 150 slots',
          got: wire.blockhash,
        })
      : open('blockhash is recent', wire.blockhash),
  ];
}

function memoCheck(memo: unknown, accepted: Members): PaymentCheck {
  const expected = membersOf(accepted['extra'])['memo'];
  if (expected !== undefined) return equal('memo is the request', expected, memo);
  return holds('memo is the request', memo !== undefined, { expected: 'the id of a request', got: memo });
}

function transferChecks(transfer: Members, accepted: Members | null, usdcMint: string): PaymentCheck[] {
  const amount = membersOf(transfer['tokenAmount'])['amount'];
  const mint = transfer['mint'];
  const payTo = accepted?.['payTo'];
  const target =
    typeof payTo === 'string' && isAddress(payTo) ? associatedTokenAddress(payTo, usdcMint) : null;
  return [
    equal('mint is the USDC of the bank', usdcMint, mint),
    ...(accepted === null
      ? [open('amount in base units', amount), open('recipient token account', transfer['destination'])]
      : [
          equal('asset that was accepted', accepted['asset'], mint),
          equal('amount in base units', accepted['amount'], amount),
          equal('recipient token account', target, transfer['destination']),
        ]),
  ];
}

/** Checks the signatures of all signers except the fee payer, which signs on settlement. */
function signatureChecks({ keys, requiredSignatures, signatures, message }: WireTransaction): PaymentCheck[] {
  return keys.slice(1, requiredSignatures).map((address, at) => {
    const signature = signatures[at + 1];
    const isValid = signature !== undefined && verifySignature(address, message, signature);
    return holds('signature of the payer', isValid, {
      expected: `a signature by ${address}`,
      got: isValid ? 'valid' : 'missing or invalid',
    });
  });
}
