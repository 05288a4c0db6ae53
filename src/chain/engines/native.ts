import { createRequire } from 'node:module';
import type { Account, EngineClock } from '../engine.js';
import { SYSTEM_PROGRAM, bytesOf } from '../solana/addresses.js';

/** The engine cannot run here: it has no build for this platform, or the package that contains it is not installed. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable';
}

export type NativeEngine = 'bankrun' | 'litesvm';

/** The classes of values that both native modules have. */
export interface NativeValues<A> {
  readonly Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => A;
  readonly Clock: new (
    slot: bigint,
    epochStart: bigint,
    epoch: bigint,
    leaderEpoch: bigint,
    unixTimestamp: bigint,
  ) => object;
}

const NO_ACCOUNT: Account = {
  lamports: 0n,
  data: new Uint8Array(0),
  owner: SYSTEM_PROGRAM,
  executable: false,
};

/** An account for a native machine; one without lamports removes it. The maximum epoch marks it as rent-exempt. */
export function nativeAccount<A>(native: NativeValues<A>, account: Account | null): A {
  const { lamports, data, owner, executable } = account ?? NO_ACCOUNT;
  return new native.Account(lamports, data, bytesOf(owner), executable, 2n ** 64n - 1n);
}

export function nativeClock(
  native: NativeValues<unknown>,
  { slot, epoch, unixTimestamp }: EngineClock,
): object {
  return new native.Clock(slot, unixTimestamp, epoch, epoch + 1n, unixTimestamp);
}

/**
 * The packages with the native builds, by platform and processor; on Linux one per C library. The published wrappers
 * around them each load a Solana SDK, which is not needed here, so the builds are direct dependencies. The versions are
 * also in package.json; a test compares them.
 */
export const NATIVE_BUILDS = {
  bankrun: {
    version: '0.4.0',
    builds: {
      'darwin-arm64': ['solana-bankrun-darwin-arm64'],
      'darwin-x64': ['solana-bankrun-darwin-x64'],
      'linux-x64': ['solana-bankrun-linux-x64-gnu', 'solana-bankrun-linux-x64-musl'],
    },
  },
  litesvm: {
    version: '1.5.0',
    builds: {
      'darwin-arm64': ['litesvm-darwin-arm64'],
      'darwin-x64': ['litesvm-darwin-x64'],
      'linux-arm64': ['litesvm-linux-arm64-gnu', 'litesvm-linux-arm64-musl'],
      'linux-x64': ['litesvm-linux-x64-gnu', 'litesvm-linux-x64-musl'],
    },
  },
} as const;

function buildsOf(engine: NativeEngine): Readonly<Record<string, readonly string[]>> {
  return NATIVE_BUILDS[engine].builds;
}

function platform(): string {
  return `${process.platform}-${process.arch}`;
}

/** Whether an engine has a build for this platform. */
export function isBuilt(engine: NativeEngine): boolean {
  return platform() in buildsOf(engine);
}

/** The default engine: bankrun, or litesvm where only that has a build. */
export function defaultEngine(): NativeEngine {
  return !isBuilt('bankrun') && isBuilt('litesvm') ? 'litesvm' : 'bankrun';
}

/** The message, with remedy, for a platform on which an engine has no build. */
function noBuild(engine: NativeEngine): string {
  const here = `${engine} has no build for ${platform()}, only for ${Object.keys(buildsOf(engine)).join(', ')}.`;
  const other = engine === 'bankrun' ? 'litesvm' : 'bankrun';
  if (isBuilt(other)) return `${here} Use --engine ${other}.`;
  return `${here} Use a platform it is built for (on Windows: WSL), or --engine cluster.`;
}

/** Loads the native module of an engine. Throws EngineUnavailable, whose message names what to install or choose instead. */
export function loadNative(engine: NativeEngine): unknown {
  const names = buildsOf(engine)[platform()];
  if (names === undefined) throw new EngineUnavailable(noBuild(engine));
  const require = createRequire(import.meta.url);
  const failures: string[] = [];
  for (const name of names) {
    try {
      return require(name) as unknown;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'MODULE_NOT_FOUND') failures.push(`${name}: ${message}`);
    }
  }
  if (failures.length > 0)
    throw new EngineUnavailable(`The native build of ${engine} cannot be loaded. ${failures.join('; ')}`);
  throw new EngineUnavailable(
    `The engine ${engine} needs the package ${names.join(' or ')}, which is not installed ` +
      `(npm leaves it out with --omit=optional). Install it: npm install ${names[0]}@${NATIVE_BUILDS[engine].version}`,
  );
}
