import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { AgentClient } from '../../src/sdk/client/client.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { ControlClient } from '../../src/api/control/client.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { rpcMessage } from '../api/rpc/support.js';

/** The keys of a dev wallet. */
export function devKeys({ wallets }: Simulator, at = 0): Keypair {
  return Keypair.fromSecretKey(bs58.decode(wallets[at]?.secretKey ?? ''));
}

/** A simulator that is served, and clients of it that share nothing with its process. */
export class Session {
  readonly tokens: string[] = [];
  readonly secrets: string[] = [];
  readonly control: ControlClient;
  readonly connection: Connection;
  #memo = 0;

  private constructor(
    readonly sim: Simulator,
    readonly baseUrl: string,
    rpcUrl: string,
  ) {
    this.control = new ControlClient({ origin: baseUrl });
    this.connection = new Connection(rpcUrl, 'processed');
  }

  static async of(sim: Simulator): Promise<Session> {
    const { origin } = await sim.listen();
    const { url } = await sim.listenRpc();
    return new Session(sim, `${origin}/api/v1`, url);
  }

  /** A signed transaction of web3.js, with the latest blockhash unless another is given. */
  async signed(
    signer: Keypair,
    instructions: TransactionInstruction[],
    blockhash?: string,
  ): Promise<Transaction> {
    const recentBlockhash = blockhash ?? (await this.connection.getLatestBlockhash()).blockhash;
    const transaction = new Transaction({ feePayer: signer.publicKey, recentBlockhash });
    transaction.add(...instructions).sign(signer);
    return transaction;
  }

  /** Sends a transaction by web3.js. */
  async send(signer: Keypair, instructions: TransactionInstruction[], options = {}): Promise<string> {
    // No two of them are equal.
    this.#memo += 1;
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 + this.#memo });
    const transaction = await this.signed(signer, [limit, ...instructions]);
    return this.connection.sendRawTransaction(transaction.serialize(), options);
  }

  /** Posts a message of JSON-RPC. */
  rpc(method: string, ...params: unknown[]): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(this.connection.rpcEndpoint, {
      method: 'POST',
      headers,
      body: rpcMessage(method, ...params),
    });
  }

  /** Instructions that move base units of USDC. */
  usdc(from: Keypair, to: string, amountBase: number): TransactionInstruction[] {
    const mint = new PublicKey(this.sim.facts.usdcMint);
    const owner = new PublicKey(to);
    const [source, target] = [from.publicKey, owner].map((key) =>
      getAssociatedTokenAddressSync(mint, key, true),
    ) as [PublicKey, PublicKey];
    return [
      createAssociatedTokenAccountIdempotentInstruction(from.publicKey, target, owner, mint),
      createTransferInstruction(source, target, from.publicKey, amountBase),
    ];
  }

  lamports(from: Keypair, to: string, amount: number): TransactionInstruction[] {
    return [
      SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: new PublicKey(to), lamports: amount }),
    ];
  }

  /** A wallet of an outsider, with SOL and USDC. */
  async outsider(usdc: number): Promise<{ keys: Keypair; agent: AgentClient }> {
    const keys = Keypair.generate();
    await this.connection.requestAirdrop(keys.publicKey, 2_000_000_000);
    await this.control.do('faucet', {
      body: { address: keys.publicKey.toBase58(), amount: usdc, token: 'USDC' },
    });
    return { keys, agent: await this.customer(keys.secretKey) };
  }

  async customer(secret: Uint8Array): Promise<AgentClient> {
    this.secrets.push(bs58.encode(secret));
    const wallet = AgentWallet.fromSecretKey(secret);
    const signText = wallet.signText.bind(wallet);
    wallet.signText = (text) => {
      const signature = signText(text);
      this.secrets.push(signature);
      return signature;
    };
    const agent = new AgentClient({ baseUrl: this.baseUrl, wallet });
    this.tokens.push((await agent.signIn()).token);
    return agent;
  }

  async deposit(agent: AgentClient, keys: Keypair, amount: number): Promise<void> {
    const signature = await this.send(keys, this.usdc(keys, this.sim.facts.treasury, amount * 1e6));
    await agent.deposit({ amount, token: 'USDC', tx_signature: signature });
  }

  /** Posts a body as it is, right or wrong, with the latest token unless another or none is given. */
  post(
    path: string,
    body: string | undefined,
    token: string | null = this.tokens.at(-1) ?? null,
    more: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...more,
    };
    return this.raw('POST', path, { headers, ...(body === undefined ? {} : { body }) });
  }

  /** A request as it is, right or wrong. */
  async raw(method: string, path: string, init: RequestInit = {}): Promise<number> {
    return (await fetch(this.baseUrl + path, { method, ...init })).status;
  }
}

/** What comes of a call that may be refused. */
export const refused = async (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: unknown) => error);

/** Everything that can be recorded, at least once. */
export async function busySession(session: Session): Promise<void> {
  const { control, sim, connection } = session;
  const dev = devKeys(sim);
  const alice = await session.customer(dev.secretKey);
  const { keys, agent: bob } = await session.outsider(900);
  await session.deposit(alice, dev, 2_000);
  await session.deposit(bob, keys, 500);
  await alice.depositSavings({ amount: 1_000, token: 'USDC' });
  await alice.borrow({ amount: 120.5 });
  await refused(bob.withdraw({ amount: 5_000, token: 'USDC' }));
  await bob.withdraw({ amount: 20, token: 'USDC', destination: Keypair.generate().publicKey.toBase58() });
  const { payment_request: request, headers } = await bob.requestPayment({ amount: 7.25, token: 'USDC' });
  const payment = {
    recipient: request.recipient,
    amount: 7.25,
    token: 'USDC',
    payment_request: headers['X-Payment-Request'] ?? '',
  } as const;
  const paid = await alice.pay(payment, { idempotencyKey: 'pay-1' });
  await alice.pay(payment, { idempotencyKey: 'pay-1' });
  await bob.receive({ tx_signature: paid.tx_signature });
  await refused(bob.receive({ tx_signature: paid.tx_signature }));
  await control.do('advance', { body: { by: '3d' } });
  const again = await session.customer(dev.secretKey);
  await refused(alice.account());
  await again.account();
  await again.profile();
  const { application } = await again.applyForLoan({ amount: 100, purpose: 'task', duration: 30 });
  await refused(control.do('approve', { id: application.id, body: { reason: 'a <b> "quoted" reason' } }));
  await refused(again.repayLoan(application.id, { amount: 10 }));
  await again.loans();
  const { id } = await control.do('snapshot');
  await control.do('createWallet', { body: { SOL: 1, USDC: 3 } });
  await control.do('setBalance', { body: { address: keys.publicKey.toBase58(), amount: 77, token: 'USDC' } });
  await control.do('revert', { id });
  await control.do('setApy', { body: { token: 'USDC', source: 0.08 } });
  await control.do('advance', { body: { by: '1d' } });
  await control.do('addFault', {
    body: { endpoint: 'account', effect: 'replace-response', status: 429, when: { every: 2 } },
  });
  for (let round = 0; round < 4; round += 1) await refused(again.account());
  // While there are faults, calls that only read are recorded, too.
  await connection.getBalance(keys.publicKey);
  await session.send(keys, session.lamports(keys, dev.publicKey.toBase58(), 321));
  await control.do('clearFaults');
  // Nobody, bad tokens, bad bodies.
  await session.raw('GET', '/agent/account');
  for (const authorization of ['Bearer nonsense', 'nonsense'])
    await session.raw('GET', '/agent/account', { headers: { authorization } });
  const odd = '{\n "amount": 1.5,\n "token": "USDC",\n "more": "<id-1>" }';
  for (const body of ['{"amount": 1,', 'x'.repeat(70_000), odd])
    await session.post('/agent/account/withdraw', body);
  // Transactions that fail, in each way.
  await refused(session.send(keys, session.lamports(keys, dev.publicKey.toBase58(), 900_000_000_000)));
  await session.send(keys, session.lamports(keys, dev.publicKey.toBase58(), 900_000_000_000), {
    skipPreflight: true,
  });
  await wrongTransactions(session, keys);
  const twice = await session.signed(keys, session.lamports(keys, dev.publicKey.toBase58(), 1_234));
  for (let time = 0; time < 2; time += 1) await refused(connection.sendRawTransaction(twice.serialize()));
  await bob.account();
}

async function wrongTransactions(session: Session, keys: Keypair): Promise<void> {
  const { connection } = session;
  const { blockhash } = await connection.getLatestBlockhash();
  for (const recentBlockhash of [blockhash, Keypair.generate().publicKey.toBase58()]) {
    const transfer = session.lamports(keys, keys.publicKey.toBase58(), 5);
    const transaction = await session.signed(keys, transfer, recentBlockhash);
    const bytes = Uint8Array.from(transaction.serialize());
    if (recentBlockhash === blockhash) bytes[3] = (bytes[3] as number) ^ 1;
    await refused(connection.sendRawTransaction(bytes));
  }
}
