import type { Commitment } from '../../chain/slots.js';
import { MAX_U64 } from '../../chain/solana/layout.js';
import { isAddress, isSignature } from '../../core/domain/inputs.js';
import { invalidParam, invalidParams } from './errors.js';
import { isObject } from '../../core/json.js';

const COMMITMENTS: Readonly<Record<string, Commitment>> = {
  processed: 'processed',
  confirmed: 'confirmed',
  finalized: 'finalized',
  // Deprecated names; clusters still accept them.
  recent: 'processed',
  single: 'confirmed',
  singleGossip: 'confirmed',
  root: 'finalized',
  max: 'finalized',
};

/** An integer of the message: a bigint when a double would lose digits. */
function wholeNumber(value: unknown, name: string, max: number | bigint = MAX_U64): bigint {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!isWhole || (value as number | bigint) < 0 || (value as number | bigint) > max) {
    throw invalidParam(`${name} must be a whole number from 0 to ${max}`);
  }
  return BigInt(value as number | bigint);
}

/** Checks that text is a signature of a transaction. Throws invalid params. */
export function signatureText(value: unknown, name: string): string {
  if (typeof value === 'string' && isSignature(value)) return value;
  throw invalidParam(`${name} must be the base58 signature of a transaction (64 bytes)`);
}

/** Checks that text is an address. Throws invalid params. */
export function addressText(value: unknown, name: string): string {
  if (typeof value === 'string' && isAddress(value)) return value;
  throw invalidParam(`${name} must be a Solana address: base58 of 32 bytes`);
}

/** Throws invalid params for a limit above `max`. */
export function checkedLimit(limit: number, max: number): number {
  if (limit > max) throw invalidParams(`Invalid limit; max ${max}`);
  return limit;
}

/** The configuration object that most methods take last. Its readers throw invalid params. */
export class Config {
  readonly #values: Record<string, unknown>;

  constructor(value: unknown, name: string) {
    if (value !== undefined && value !== null && !isObject(value)) {
      throw invalidParam(`${name} must be an object of options`);
    }
    this.#values = value ?? {};
  }

  /** The raw member; undefined when it is missing or null. */
  get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined;
  }

  commitment(name = 'commitment'): Commitment {
    const value = this.get(name) ?? 'finalized';
    const known =
      typeof value === 'string' && Object.hasOwn(COMMITMENTS, value) ? COMMITMENTS[value] : undefined;
    if (known === undefined) throw invalidParam(`${name} must be processed, confirmed or finalized`);
    return known;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const known = allowed.find((candidate) => candidate === value);
    if (known === undefined) throw invalidParam(`${name} must be one of ${allowed.join(', ')}`);
    return known;
  }

  flag(name: string): boolean {
    const value = this.get(name) ?? false;
    if (typeof value !== 'boolean') throw invalidParam(`${name} must be true or false`);
    return value;
  }

  /** An integer of up to 64 bits, rounded beyond 2^53: for values that are only compared. */
  integer(name: string, max?: number): number | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : Number(wholeNumber(value, name, max));
  }

  u64(name: string): bigint | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : wholeNumber(value, name);
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value !== undefined && typeof value !== 'string') throw invalidParam(`${name} must be text`);
    return value;
  }

  /** `tooMany` is a cluster's message for a list longer than `max`. */
  list(name: string, max: number, tooMany: string): readonly unknown[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw invalidParam(`${name} must be a list of at most ${max}`);
    if (value.length > max) throw invalidParams(`${tooMany}; max ${max}`);
    return value;
  }

  /** A required integer. */
  requiredInteger(name: string): number {
    return Number(wholeNumber(this.get(name), name));
  }

  names(): string[] {
    return Object.keys(this.#values);
  }

  config(name: string): Config | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : new Config(value, name);
  }
}

/** The positional parameters of a call. Its readers throw invalid params. */
export class Params {
  readonly #values: readonly unknown[];

  constructor(value: unknown) {
    if (value !== undefined && value !== null && !Array.isArray(value)) {
      throw invalidParam('params must be a list; Solana takes no parameters by name');
    }
    this.#values = value ?? [];
  }

  get(at: number): unknown {
    return this.#values[at] ?? undefined;
  }

  text(at: number, name: string): string {
    const value = this.get(at);
    if (typeof value !== 'string') throw invalidParam(`${name} (params[${at}]) must be text`);
    return value;
  }

  address(at: number, name: string): string {
    return addressText(this.get(at), `${name} (params[${at}])`);
  }

  signature(at: number, name: string): string {
    return signatureText(this.get(at), `${name} (params[${at}])`);
  }

  /** An integer of up to 64 bits, rounded beyond 2^53: for values that are only compared. */
  integer(at: number, name: string, max?: number): number {
    return Number(wholeNumber(this.get(at), `${name} (params[${at}])`, max));
  }

  limit(at: number, max: number): number {
    return checkedLimit(this.integer(at, 'limit'), max);
  }

  u64(at: number, name: string): bigint {
    return wholeNumber(this.get(at), `${name} (params[${at}])`);
  }

  list(at: number, name: string, max: number): readonly unknown[] {
    const value = this.get(at);
    if (!Array.isArray(value)) throw invalidParam(`${name} (params[${at}]) must be a list of at most ${max}`);
    if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`);
    return value;
  }

  addresses(at: number, name: string, max: number): string[] {
    return this.list(at, name, max).map((value, index) =>
      addressText(value, `${name}[${index}] (params[${at}])`),
    );
  }

  config(at: number): Config {
    return new Config(this.get(at), `params[${at}]`);
  }

  /** The options of a method that takes only a commitment, which is required in them. */
  commitmentConfig(at: number): Config {
    const config = this.config(at);
    if (this.get(at) !== undefined && config.get('commitment') === undefined)
      throw invalidParams('Invalid params: missing field `commitment`.');
    return config;
  }
}
