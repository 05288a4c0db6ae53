import { isObject } from '../../../core/json.js';
import { TOKEN_PROGRAM, TOKEN_2022_PROGRAM } from '../../../chain/solana/addresses.js';
import type { Account } from '../../../chain/engine.js';
import type { MethodTable, RpcContext } from '../context.js';
import { accountShape } from '../encoding/account.js';
import { type TokenBalance, mintOf, tokenBalance } from '../../../chain/solana/token-accounts.js';
import { invalidParam } from '../errors.js';
import { type Params, addressText } from '../params.js';
import { uiTokenAmount } from '../parsed/amounts.js';
import { keyedAccounts, largest } from './accounts.js';

/** A predicate for the token accounts of one mint, or of one token program. */
async function tokenFilter(params: Params, context: RpcContext): Promise<(held: TokenBalance) => boolean> {
  const filter = params.get(1);
  const { mint, programId } = isObject(filter) ? filter : {};
  if ((mint === undefined) === (programId === undefined))
    throw invalidParam('params[1] must be an object with mint or programId');
  if (mint !== undefined) {
    const address = addressText(mint, 'mint (params[1])');
    const account = await context.chain.getAccount(address);
    if (account === null) throw invalidParam('could not find mint');
    if (mintOf(account) === null) throw invalidParam('Token mint could not be unpacked');
    return (held) => held.mint === address;
  }
  const program = addressText(programId, 'programId (params[1])');
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) {
    throw invalidParam('unrecognized Token program id');
  }
  return (held) => held.programId === program;
}

async function tokenAccountsBy(
  params: Params,
  context: RpcContext,
  belongs: (held: TokenBalance) => boolean,
): Promise<object> {
  const matches = await tokenFilter(params, context);
  const config = params.config(2);
  const shape = accountShape(config);
  const commitment = context.commitment(config);
  const found = await context.view.accountsWhere((account) => {
    const held = tokenBalance(account);
    return held !== null && belongs(held) && matches(held);
  }, commitment);
  return context.at(commitment, await keyedAccounts(context, found, shape));
}

function mintIn(account: Account | null): { supplyBase: bigint; decimals: number } {
  if (account === null) throw invalidParam('could not find account');
  const mint = mintOf(account);
  if (mint === null) throw invalidParam('not a Token mint');
  return mint;
}

export const TOKEN_METHODS: MethodTable = {
  async getTokenAccountBalance(params, context) {
    const address = params.address(0, 'pubkey');
    const commitment = context.commitment(params.commitmentConfig(1));
    const account = await context.view.account(address, commitment);
    if (account === null) throw invalidParam('could not find account');
    const held = tokenBalance(account);
    if (held === null) throw invalidParam('not a Token account');
    const decimals = await context.decimals([account]);
    return context.at(commitment, uiTokenAmount(held.amountBase, decimals(held.mint) ?? 0));
  },

  async getTokenSupply(params, context) {
    const address = params.address(0, 'mint');
    const commitment = context.commitment(params.commitmentConfig(1));
    const mint = mintIn(await context.view.account(address, commitment));
    return context.at(commitment, uiTokenAmount(mint.supplyBase, mint.decimals));
  },

  async getTokenLargestAccounts(params, context) {
    const address = params.address(0, 'mint');
    const commitment = context.commitment(params.commitmentConfig(1));
    const { decimals } = mintIn(await context.view.account(address, commitment));
    const all = await context.view.accountsWhere(
      (account) => tokenBalance(account)?.mint === address,
      commitment,
    );
    const held = all.map(([holder, account]) => ({
      address: holder,
      amountBase: tokenBalance(account)?.amountBase ?? 0n,
    }));
    const value = largest(held, ({ amountBase }) => amountBase).map(({ address: holder, amountBase }) => ({
      address: holder,
      ...uiTokenAmount(amountBase, decimals),
    }));
    return context.at(commitment, value);
  },

  getTokenAccountsByOwner(params, context) {
    const owner = params.address(0, 'owner');
    return tokenAccountsBy(params, context, (held) => held.owner === owner);
  },

  getTokenAccountsByDelegate(params, context) {
    const delegate = params.address(0, 'delegate');
    return tokenAccountsBy(params, context, (held) => held.delegate === delegate);
  },
};
