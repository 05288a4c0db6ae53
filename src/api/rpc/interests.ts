import type { ChainEvent, EventSubscription } from './subscription-kinds.js';

/** The subject of a subscription: an account, the owner of accounts, an address that transactions mention, or a signature. */
function subjectOf(subscription: EventSubscription): string {
  switch (subscription.kind) {
    case 'account':
      return subscription.address;
    case 'program':
      return subscription.program;
    case 'logs':
      return subscription.mentions ?? ANYTHING;
    case 'signature':
      return subscription.signature;
  }
}

/** The subject of subscriptions to the logs of all transactions. */
const ANYTHING = '';

type BySubject = Map<string, Set<EventSubscription>>;

export class Interests {
  readonly #kinds: Readonly<Record<EventSubscription['kind'], BySubject>> = {
    account: new Map(),
    program: new Map(),
    logs: new Map(),
    signature: new Map(),
  };

  add(subscription: EventSubscription): void {
    const bySubject = this.#kinds[subscription.kind];
    const subject = subjectOf(subscription);
    bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(subscription));
  }

  remove(subscription: EventSubscription): void {
    const bySubject = this.#kinds[subscription.kind];
    const subject = subjectOf(subscription);
    const others = bySubject.get(subject);
    others?.delete(subscription);
    if (others?.size === 0) bySubject.delete(subject);
  }

  clear(): void {
    for (const bySubject of Object.values(this.#kinds)) bySubject.clear();
  }

  inSignature(signature: string): ReadonlySet<EventSubscription> | undefined {
    return this.#kinds.signature.get(signature);
  }

  /** All subscriptions that an event matches, each once. */
  in({ touched, transaction }: ChainEvent): EventSubscription[] {
    const { account, program, logs, signature } = this.#kinds;
    const found: EventSubscription[] = [];
    const add = (those: ReadonlySet<EventSubscription> | undefined) => {
      for (const each of those ?? []) found.push(each);
    };
    if (account.size > 0) for (const { address } of touched) add(account.get(address));
    if (program.size > 0)
      for (const owner of new Set(touched.map(({ post }) => post?.owner ?? null)))
        if (owner !== null) add(program.get(owner));
    if (transaction === null) return found;
    if (signature.size > 0) add(signature.get(transaction.signature));
    if (logs.size > 0) for (const key of new Set([ANYTHING, ...transaction.accountKeys])) add(logs.get(key));
    return found;
  }
}
