import { PUBLISHED_LIMITS } from '../../../../src/core/domain/bank-limits.js';
import { DEFAULT_LIMITS } from '../../../../src/core/limits.js';
import { DEFAULT_VARIANTS } from '../../../../src/core/domain/variants.js';
import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import type { EndpointId } from '../../../../src/contract/endpoints.js';
import { deviationText } from '../../../../src/testing/fuzz/model/difference.js';
import { Model } from '../../../../src/testing/fuzz/model/model.js';
import type {
  Answer,
  ApiCall,
  Expectation,
  ModelConfig,
  Trouble,
} from '../../../../src/testing/fuzz/model/types.js';

const CALM: Trouble = { oracleIsOut: false, chainIsOut: false, transaction: null, isKilled: false };

/** The instant at which a world of these tests begins: a whole second at noon, UTC. */
export const START_MS = Date.UTC(2026, 0, 5, 12);
export const DAY_MS = 86_400_000;

/** A wallet that can sign a challenge. */
export class Signer {
  readonly #key;
  readonly address: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#key = privateKey;
    this.address = bs58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  }

  sign(text: string): string {
    return bs58.encode(sign(null, Buffer.from(text, 'utf8'), this.#key));
  }
}

/** A world without a service: the test says what is answered. */
export function settingOf(
  change: {
    variants?: Partial<ModelConfig['variants']>;
    limits?: Partial<ModelConfig['limits']>;
    holdings?: ModelConfig['holdings'];
  } = {},
): ModelConfig {
  const collection = new Signer().address;
  const [treasury, protocol] = [new Signer().address, new Signer().address];
  const rich = { USDC: 10n ** 15n, SOL: 10n ** 15n };
  return {
    limits: { ...PUBLISHED_LIMITS, ...change.limits },
    callerLimits: DEFAULT_LIMITS,
    variants: { ...DEFAULT_VARIANTS, ...change.variants },
    startMs: START_MS,
    treasury,
    protocol,
    holdings: { [treasury]: rich, [protocol]: rich, ...change.holdings },
    tokenHolders: [],
    receiptIssuer: new Signer().address,
    usdcMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    collectionOf: () => collection,
    tokenAccountOf: (wallet) => `tokens of ${wallet}`,
    apy: { USDC: 0.017, SOL: 0.052 },
    price: { USDC: 1, SOL: 150 },
    oracleMaxAgeMs: 3_600_000,
    withdrawalDelayMs: 600_000,
    creditsBelowRent: true,
  };
}

/** A model with one customer, who answers for the service. */
export class Alone {
  readonly modelConfig: ModelConfig;
  readonly model: Model;
  readonly signer = new Signer();
  token = '';
  #deposits = 0;

  constructor(change: Parameters<typeof settingOf>[0] = {}) {
    this.modelConfig = settingOf(change);
    this.model = new Model(this.modelConfig);
    this.signIn();
  }

  signIn(): void {
    const { address: wallet } = this.signer;
    const issued = new Date(this.model.nowMs).toISOString();
    const expires = new Date(this.model.nowMs + 300_000).toISOString();
    const challenge = `service\n${wallet}\n${Math.random()}\n${issued}\n${expires}`;
    this.judged('challenge', { body: { wallet }, authorization: null }, { challenge, expiresIn: 300 });
    const seconds = Math.floor(this.model.nowMs / 1000);
    const claims = { sub: wallet, jti: challenge, iat: seconds, exp: seconds + 86_400 };
    const parts = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    this.token = `${parts.join('.')}.signature`;
    const body = { wallet, message: challenge, signature: this.signer.sign(challenge) };
    this.judged('verify', { body, authorization: null }, { token: this.token, expiresIn: 86_400, wallet });
  }

  expect(operation: EndpointId, asked: Partial<ApiCall> = {}, trouble: Trouble = CALM): Expectation {
    const authorization = `Bearer ${this.token}`;
    const call = { operation, authorization, params: {}, query: {}, body: undefined, key: null, ...asked };
    return this.model.expect(call, trouble);
  }

  /** Makes a call that the service answers with success. Throws what differs. */
  judged(operation: EndpointId, asked: Partial<ApiCall>, body: unknown): void {
    const difference = this.expect(operation, asked).judge({ status: 200, body });
    if (difference !== null) throw new Error(deviationText(difference));
  }

  /** What the model says of an answer. */
  judge(operation: EndpointId, asked: Partial<ApiCall>, answer: Answer): string | null {
    const difference = this.expect(operation, asked).judge(answer);
    return difference === null ? null : deviationText(difference);
  }

  /** USDC comes to the treasury and is recorded. */
  fund(amount: number): void {
    this.#deposits += 1;
    const signature = '2'.repeat(70) + 'abcdefghjk'[this.#deposits];
    const { address } = this.signer;
    const { treasury } = this.modelConfig;
    this.model.sent({
      signature,
      hasFailed: false,
      feePayer: address,
      feeLamports: 5_000n,
      signers: [address],
      transfers: [{ from: address, to: treasury, token: 'USDC', amountBase: BigInt(amount) * 1_000_000n }],
      slot: 1,
      blockTimeSeconds: START_MS / 1000,
    });
    const { code } = this.expect('deposit', { body: { amount, token: 'USDC', tx_signature: signature } });
    if (code !== null) throw new Error(code);
  }

  /** Makes a call whose answer is lost. Throws the code of a refusal. */
  done(operation: EndpointId, body: unknown): void {
    const expected = this.expect(operation, { body });
    if (expected.code !== null) throw new Error(expected.code);
    expected.judge(null);
  }
}
