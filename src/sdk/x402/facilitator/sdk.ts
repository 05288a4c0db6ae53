import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The packages of the x402 SDK that users install to run a facilitator, in the tested versions. */
export const X402_PACKAGES = {
  '@x402/core': '2.27.0',
  '@x402/svm': '2.27.0',
  '@solana/kit': '5.5.1',
} as const;

export const X402_INSTALL = `npm install ${Object.entries(X402_PACKAGES)
  .map(([name, version]) => `${name}@${version}`)
  .join(' ')}`;

/** The packages of the x402 SDK are not installed, or not in a compatible version. */
export class X402SdkMissing extends Error {
  override readonly name = 'X402SdkMissing';
}

/** A payment payload, as parsed by the SDK. */
export type Payload = Readonly<Record<string, unknown>>;
/** Payment requirements; `network` is copied into responses. */
export type Requirements = Readonly<Record<string, unknown>>;

/** The part of the SDK's facilitator that is used here. */
export interface SdkFacilitator {
  getSupported(): object;
  verify(
    payload: Payload,
    requirements: Requirements,
  ): Promise<{
    readonly isValid: boolean;
    readonly invalidReason?: string;
    readonly invalidMessage?: string;
    readonly payer?: string;
  }>;
  settle(
    payload: Payload,
    requirements: Requirements,
  ): Promise<{
    readonly success: boolean;
    readonly errorReason?: string;
    readonly errorMessage?: string;
    readonly payer?: string;
  }>;
}

/** The port through which the SDK's facilitator accesses a chain. Transactions are base64. */
export interface SvmSigner {
  getAddresses(): readonly string[];
  signTransaction(transaction: string, feePayer: string): Promise<string>;
  simulateTransaction(transaction: string): Promise<void>;
  sendTransaction(transaction: string): Promise<string>;
  /** Rejects with `TransactionOnchainFailureError` when the transaction failed. */
  confirmTransaction(signature: string): Promise<void>;
}

export interface X402Sdk {
  /** Creates a facilitator of the `exact` scheme on Solana. */
  facilitator(signer: SvmSigner, networks: readonly string[]): SdkFacilitator;
  readonly TransactionOnchainFailureError: new (message: string) => Error;
}

type Exports = Readonly<Record<string, { readonly import?: { readonly default?: string } }>>;

/**
 * Imports an ES module of a package that is not a dependency, from this package's location. When npx runs this package, or when it is
 * installed globally, the module comes from the project in the working folder.
 */
async function importOptional(name: keyof typeof X402_PACKAGES, path: string): Promise<unknown> {
  const places = [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href];
  for (const folder of places.flatMap((place) => createRequire(place).resolve.paths(name) ?? [])) {
    const manifest = join(folder, name, 'package.json');
    if (!existsSync(manifest)) continue;
    const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports?: Exports };
    const file = exports?.[path]?.import?.default;
    if (file === undefined)
      throw new X402SdkMissing(`${name} in ${folder} does not have ${path}: ${X402_INSTALL}`);
    return import(pathToFileURL(join(folder, name, file)).href);
  }
  throw new X402SdkMissing(
    `The x402 facilitator needs packages that are not installed. Install them and try again: ${X402_INSTALL}`,
  );
}

export async function loadSdk(): Promise<X402Sdk> {
  const [core, svm, exact] = (await Promise.all([
    importOptional('@x402/core', './facilitator'),
    importOptional('@x402/svm', '.'),
    importOptional('@x402/svm', './exact/facilitator'),
  ])) as [
    { x402Facilitator: new () => SdkFacilitator },
    Pick<X402Sdk, 'TransactionOnchainFailureError'>,
    {
      registerExactSvmScheme(
        facilitator: SdkFacilitator,
        options: { signer: SvmSigner; networks: readonly string[] },
      ): SdkFacilitator;
    },
  ];
  return {
    facilitator: (signer, networks) =>
      exact.registerExactSvmScheme(new core.x402Facilitator(), { signer, networks }),
    TransactionOnchainFailureError: svm.TransactionOnchainFailureError,
  };
}
