import { BankAddresses } from '../bank/addresses.js';
import { Bank } from '../bank/bank.js';
import { bankTerms } from '../core/domain/bank-terms.js';
import type { ClusterChain } from '../chain/cluster/cluster-chain.js';
import { EmbeddedBackend } from '../chain/embedded-backend.js';
import type { SimulatorConfig } from '../runtime/config.js';
import type { ServiceFacts } from '../api/http/discovery.js';
import type { Clock } from '../world/clock.js';
import { KeyRing } from '../world/keys.js';
import { Oracle } from '../world/oracle.js';
import { oracleFeeds } from '../world/sources.js';
import { parseReviewPolicy } from '../world/reviewer.js';
import type { SimulatorHooks } from './servers.js';
import { EmbeddedChain } from '../runtime/embedded-chain.js';

interface Foundation {
  readonly keys: KeyRing;
  /** Seeds the secrets of tokens and receipts. */
  readonly secretSeed: string;
  readonly ground: EmbeddedChain | ClusterChain;
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly hooks: SimulatorHooks;
}

/** Creates the bank of a world, with its books not yet opened. */
export function bankOf(config: SimulatorConfig, foundation: Foundation): Bank {
  const { keys, secretSeed, ground, clock, oracle, hooks } = foundation;
  const { variants, withdrawalDelayMs, cluster } = config;
  const secrets = new KeyRing(secretSeed);
  const addresses = new BankAddresses(keys, {
    issuer: secrets.derive('receipt-issuer'),
    network: variants.network,
    treasury: cluster?.treasury,
    usdcMint: cluster?.usdcMint ?? undefined,
  });
  const isLocal = ground instanceof EmbeddedChain;
  return new Bank({
    constants: {
      salt: keys.salt('ids'),
      variants,
      terms: bankTerms(config.bankLimits),
      lifetimes: config.bankLimits,
      treasury: addresses.treasury.address,
      withdrawalDelayMs,
      maxOpenApplications: config.limits.openApplications,
    },
    maxIdempotencyKeys: config.limits.idempotencyKeys,
    maxLoanApplications: config.limits.loanApplications,
    chain: isLocal ? new EmbeddedBackend(ground.chain, ground.fates, hooks.aroundTransfer) : ground,
    clock,
    oracle,
    addresses,
    tokenSecret: secrets.secret('tokens'),
    policy: parseReviewPolicy(variants.review),
    signatures: hooks.signatures,
  });
}

/** Creates the source of rates and prices of a world that starts at an instant. */
export function oracleOf({ oracle, seed }: SimulatorConfig, startMs: number): Oracle {
  return new Oracle(oracleFeeds(oracle, seed, startMs), startMs, oracle.maxAgeMs);
}

export function factsOf({ addresses }: Bank): ServiceFacts {
  return {
    treasury: addresses.treasury.address,
    usdcMint: addresses.usdcMint,
    network: addresses.caip2,
    issuerPublicKey: addresses.issuer.address,
  };
}
