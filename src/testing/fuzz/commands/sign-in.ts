import fc from 'fast-check';
import { type Draw, chance, composed } from '../draw.js';
import type { Answer } from '../model/types.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import { flipped } from '../play/references.js';
import type { Json, Step } from '../step.js';
import type { Command, Drawn } from './command.js';
import { judged, rememberCall } from './play-call.js';

const OPEN = { authorization: null, params: {}, query: {}, key: null } as const;

/** Stores a token, which its wallet's agent uses from now on. */
function keepToken(step: Step, response: Answer, runner: ModelRunner): void {
  const { token, wallet } = response.body as { token?: unknown; wallet?: unknown };
  if (typeof token !== 'string' || typeof wallet !== 'string') return;
  const name = runner.nameOf(wallet);
  if (name === null) return;
  const { memory } = runner;
  memory.oldTokens.push(runner.keep(step, 'token', token));
  memory.tokens.set(name, { text: token, issuedMs: runner.world.nowMs() });
}

async function verify(
  step: Step,
  runner: ModelRunner,
  body: { readonly wallet: Json; readonly signature: Json; readonly message: Json },
): Promise<Played> {
  const { response, played } = await judged({ ...OPEN, operation: 'verify', body }, runner);
  if (played.deviation === null && response?.status === 200) keepToken(step, response, runner);
  return played;
}

/** A complete sign-in: challenge, signature, token. */
export const SIGN_IN: Command = {
  name: 'signIn',
  weight: 1,
  draw: ({ names }) => fc.constantFrom(...names).map((by) => ({ do: 'signIn', by, with: {} })),
  play: async (step, runner) => {
    const wallet = runner.wallet(step.by ?? '');
    const asked = { ...OPEN, operation: 'challenge', body: { wallet: wallet.address } } as const;
    const { response, played } = await judged(asked, runner);
    if (played.deviation !== null || response?.status !== 200) return played;
    rememberCall('challenge', step, { response, runner });
    const kept = runner.memory.challenges.at(-1);
    if (kept !== undefined) runner.memory.usedChallenges.add(kept.reference);
    const message = (response.body as { challenge: string }).challenge;
    return verify(step, runner, { wallet: wallet.address, signature: wallet.signText(message), message });
  },
};

function drawVerify(draw: Draw, runner: ModelRunner): Drawn | null {
  const { challenges, usedChallenges } = runner.memory;
  if (challenges.length === 0) return null;
  // Few challenges remain unused, and the service checks the signatures of these only.
  const left = challenges.filter(({ reference }) => !usedChallenges.has(reference));
  const isLeft = left.length > 0 && draw(chance(70));
  const { reference, of } = isLeft
    ? (left.at(-1) as (typeof left)[number])
    : draw(fc.constantFrom(...challenges));
  const signer = draw(chance(isLeft ? 60 : 85)) ? of : draw(fc.constantFrom(...runner.names));
  const who = draw(chance(90)) ? of : draw(fc.constantFrom(...runner.names));
  const changes = [
    { message: `${reference}2` },
    { message: reference.replace('}', '.flipped}') },
    { signature: '${flipped.signature}' },
    { signature: '' },
  ];
  const change = draw(chance(isLeft ? 60 : 92)) ? {} : draw(fc.constantFrom(...changes));
  return { do: 'verify', by: signer, with: { wallet: `\${${who}}`, message: reference, ...change } };
}

/** Verifies a challenge again, as another agent, too late, or altered. `by` signs, unless a signature is given; `flipped` changes its end. */
export const VERIFY: Command = {
  name: 'verify',
  weight: 1,
  draw: (runner) => composed((draw) => drawVerify(draw, runner)),
  play: async (step, runner) => {
    const { wallet = '', message = '', signature } = runner.resolve(step.with) as Record<string, string>;
    if (signature === undefined) runner.memory.usedChallenges.add(step.with['message'] as string);
    const own = runner.wallet(step.by ?? '').signText(message);
    const used = step.with['signature'] === '${flipped.signature}' ? flipped(own) : (signature ?? own);
    return verify(step, runner, { wallet, signature: used, message });
  },
};
