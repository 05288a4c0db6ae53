import { Keypair, SendTransactionError } from '@solana/web3.js';
import bs58 from 'bs58';
import { ControlError } from '../../src/api/control/client.js';
import { type AgentClient, BankError } from '../../src/sdk/client/client.js';
import { Random } from '../../src/testing/study/random.js';
import { type Session, devKeys } from './session.js';

/** Somebody who acts. */
interface Person {
  readonly keys: Keypair;
  readonly agent: AgentClient;
}

/** An action of an agent or the operator, which may be refused. */
type Act = () => Promise<unknown>;

type FaultBody = NonNullable<NonNullable<Parameters<typeof addFault>[1]>['body']>;
const addFault = (session: Session, ask: Parameters<typeof session.control.do<'addFault'>>[1]) =>
  session.control.do('addFault', ask);

/** Faults of all places and effects. */
const FAULTS: readonly FaultBody[] = [
  { endpoint: 'account', effect: 'replace-response', status: 429, when: { every: 2 } },
  { endpoint: '*', effect: 'replace-response', status: 500, when: { probability: 0.2 } },
  { endpoint: 'withdraw', effect: 'drop-connection' },
  { endpoint: 'withdraw', effect: 'delay', delay: '3s' },
  { endpoint: 'withdraw', effect: 'lose-response', when: { probability: 0.5 } },
  { endpoint: 'x402Pay', effect: 'lose-response', when: { probability: 0.5 } },
  { endpoint: 'withdraw', effect: 'drop-transaction' },
  { endpoint: 'withdraw', effect: 'delay-transaction', delay: '20s' },
  { endpoint: 'x402Pay', effect: 'expire-blockhash' },
  { endpoint: 'x402Pay', effect: 'chain-unavailable', when: { nth: 1 } },
  { rpc: 'sendTransaction', effect: 'replace-response', status: 503, when: { nth: 2 } },
  { rpc: 'sendTransaction', effect: 'drop-transaction', when: { nth: 1 } },
  { rpc: '*', effect: 'drop-connection', when: { probability: 0.3 } },
];
const AMOUNTS = [0.000001, 0.5, 1, 3.25, 10, 100, 1_000, 0, -1, 1e9];
const PATHS = ['/agent/account', '/agent/account/withdraw', '/agent/loans', '/nope'];
const UNTIL = ['savings.settled', 'loan.due', 'price.changed', 'transaction.expired'] as const;
const LOOKS = ['time', 'holdings', 'invariants', 'forks', 'faults', 'snapshots', 'recording'] as const;

const REFUSALS = [BankError, ControlError, SendTransactionError];

/** What web3.js reports when a fault responses a request, or ends its connection. */
const BY_FAULTS = /fetch failed$|The simulator injected a fault into this call/;

/** Whether a request was refused or got a fault. */
function isRefusal(error: unknown): boolean {
  if (REFUSALS.some((kind) => error instanceof kind)) return true;
  return error instanceof Error && BY_FAULTS.test(error.message);
}

/** What people and those who run the world do by chance. */
class RandomActs {
  readonly #session: Session;
  readonly #random: Random;
  readonly people: Person[] = [];
  readonly #loans: string[] = ['loan_none'];
  readonly #signatures: string[] = ['none'];
  readonly #snapshots: string[] = ['snapshot-0'];
  readonly #faults: string[] = ['fault-0'];
  readonly #sent: Buffer[] = [];
  #request: string | undefined;

  constructor(session: Session, seed: number) {
    this.#session = session;
    this.#random = new Random(seed);
  }

  /** Does one thing by chance; it may be refused, or its response lost. Rejects with any other error. */
  async act(): Promise<void> {
    const acts = [this.#calls(), this.#transfers(), this.#loansAndChecks(), this.#commands()];
    try {
      await this.#random.pick(acts.flat())();
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }

  get #agent(): AgentClient {
    return this.#random.pick(this.people).agent;
  }

  get #address(): string {
    return this.#random.pick(this.people).keys.publicKey.toBase58();
  }

  get #amount(): { amount: number; token: 'USDC' | 'SOL' } {
    return { amount: this.#random.pick(AMOUNTS), token: this.#random.pick(['USDC', 'SOL']) };
  }

  #calls(): Act[] {
    const random = this.#random;
    const signatures = this.#signatures;
    const key = () => (random.chance(30) ? { idempotencyKey: `key ${random.below(3)}` } : {});
    return [
      () => this.#agent.account(),
      () => this.#agent.profile(),
      () => this.#agent.eligibility(),
      () => this.#agent.transactions({ limit: 5 }),
      () => this.#agent.yieldRates(),
      () => this.#agent.withdraw(this.#amount, key()),
      () => this.#agent.withdraw({ ...this.#amount, destination: this.#address }),
      () => this.#agent.depositSavings(this.#amount),
      () => this.#agent.withdrawSavings(this.#amount),
      () => this.#agent.borrow({ amount: this.#amount.amount }),
      () => this.#agent.repay({ amount: this.#amount.amount }),
      async () => {
        const amount = random.pick([1, 2.5]);
        const { headers } = await this.#agent.requestPayment({ amount, token: 'USDC' });
        this.#request = headers['X-Payment-Request'];
      },
      async () => {
        const request = random.chance(50) ? this.#request : undefined;
        const paid = await this.#agent.pay(
          {
            recipient: this.#address,
            amount: random.pick([1, 2.5, 300]),
            token: 'USDC',
            ...(request === undefined ? {} : { payment_request: request }),
          },
          key(),
        );
        signatures.push(paid.tx_signature);
      },
      () => this.#agent.receive({ tx_signature: random.pick(signatures) }),
      () => this.#agent.deposit({ amount: 5, token: 'USDC', tx_signature: random.pick(signatures) }),
      () => {
        const authorization = random.pick(['x', 'Bearer y', `Bearer ${random.pick(this.#session.tokens)}`]);
        const method = random.pick(['POST', 'GET', 'HEAD', 'OPTIONS', 'PUT']);
        return this.#session.raw(method, random.pick(PATHS), { headers: { authorization } });
      },
    ];
  }

  #transfers(): Act[] {
    const [session, random] = [this.#session, this.#random];
    return [
      async () => {
        const { keys, agent } = random.pick(this.people);
        await session.deposit(agent, keys, random.pick([1, 5]));
      },
      async () => {
        const { keys } = random.pick(this.people);
        const instructions = random.chance(50)
          ? session.usdc(keys, this.#address, 1e6)
          : session.lamports(keys, this.#address, random.pick([5_000_000, 9e12]));
        this.#signatures.push(await session.send(keys, instructions, { skipPreflight: random.chance(30) }));
      },
      async () => {
        const { connection } = session;
        const { keys } = random.pick(this.people);
        const transfer = session.lamports(keys, keys.publicKey.toBase58(), random.below(1e6));
        const transaction = await session.signed(keys, transfer);
        this.#sent.push(transaction.serialize());
        if (random.chance(30)) await connection.simulateTransaction(transaction).catch(() => undefined);
        // Now and again one of before.
        await connection.sendRawTransaction(random.pick(this.#sent)).catch(() => undefined);
        await connection.sendRawTransaction(random.pick(this.#sent), { skipPreflight: true });
      },
      () => session.connection.getBalance(random.pick(this.people).keys.publicKey),
      async () => {
        const at = random.below(this.people.length);
        const { keys } = this.people[at] as Person;
        this.people[at] = { keys, agent: await session.customer(keys.secretKey) };
      },
    ];
  }

  #loansAndChecks(): Act[] {
    const random = this.#random;
    const { control } = this.#session;
    const judge = (command: 'approve' | 'deny' | 'overdueLoan' | 'defaultLoan' | 'cureLoan') => () =>
      control.do(command, { id: random.pick(this.#loans), body: { reason: 'a "quoted" <reason>' } });
    return [
      async () => {
        const [amount, duration] = [random.pick([10, 50, 500, 5_000]), random.pick([7, 30])];
        const { application } = await this.#agent.applyForLoan({ amount, purpose: 'task', duration });
        this.#loans.push(application.id);
      },
      () => this.#agent.loans(),
      () => this.#agent.loan(random.pick(this.#loans)),
      () => this.#agent.repayLoan(random.pick(this.#loans), { amount: random.pick([1, 10, 100]) }),
      ...(['approve', 'deny', 'overdueLoan', 'defaultLoan', 'cureLoan'] as const).map(judge),
      () => control.do(random.pick(LOOKS)),
    ];
  }

  #commands(): Act[] {
    const random = this.#random;
    const { control } = this.#session;
    return [
      () => control.do('advance', { body: { by: random.pick(['1m', '1h', '13h', '3d']) } }),
      () => control.do('advance', { body: { until: random.pick(UNTIL), within: '20d' } }),
      () => control.do('faucet', { body: { ...this.#amount, address: this.#address, amount: 5 } }),
      () => {
        const amount = random.pick([50, 500]);
        return control.do('setBalance', { body: { ...this.#amount, address: this.#address, amount } });
      },
      async () => {
        const { secretKey } = await control.do('createWallet', { body: { SOL: 1, USDC: 100 } });
        const keys = Keypair.fromSecretKey(bs58.decode(secretKey));
        this.people.push({ keys, agent: await this.#session.customer(keys.secretKey) });
      },
      async () => this.#snapshots.push((await control.do('snapshot')).id),
      () => control.do('revert', { id: random.pick(this.#snapshots) }),
      () => control.do('fork', { body: {} }),
      () => control.do('setApy', { body: { token: this.#amount.token, source: random.pick([0.08, 0.01]) } }),
      () => control.do('setPrice', { body: { token: this.#amount.token, source: random.pick([1, 120]) } }),
      async () => this.#faults.push((await addFault(this.#session, { body: random.pick(FAULTS) })).id),
      () => control.do('clearFault', { id: random.pick(this.#faults) }),
      () => control.do('clearFaults'),
      () => control.do('freeze'),
      () => control.do('run'),
      () => control.do('scale', { body: { factor: random.pick([60, 100_000]) } }),
    ];
  }
}

/** So many things that people and those who run the world do, chosen by a seed. */
export async function actByChance(session: Session, seed: number, acts: number): Promise<void> {
  const chance = new RandomActs(session, seed);
  for (const at of [0, 1]) {
    const keys = devKeys(session.sim, at);
    chance.people.push({ keys, agent: await session.customer(keys.secretKey) });
  }
  chance.people.push(await session.outsider(700));
  for (const { keys, agent } of chance.people) await session.deposit(agent, keys, 400);
  for (let done = 0; done < acts; done += 1) await chance.act();
}
