import { type Refusal, sentenceOf } from '../domain/errors.js';

/** A transaction that the chain refused; the message is Solana's error. */
export class ChainRefusal extends Error {}

/** A refusal of the bank where the library throws. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(sentenceOf(refusal));
    this.refusal = refusal;
  }
}
