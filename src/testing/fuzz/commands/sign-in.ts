import type { Random } from '../dice.js';
import type { Answer, ApiCall, Trouble } from '../model/ports.js';
import type { Played, ModelRunner } from '../play/player.js';
import type { Json, Step } from '../step.js';
import type { Command, Drawn } from './command.js';
import { rememberCall } from './play-call.js';

const CALM: Trouble = { oracleIsOut: false, chainIsOut: false };
const OPEN = { authorization: null, params: {}, query: {}, key: null } as const;

/** Makes a call that the model expects to be answered, and judges the answer. */
async function judged(call: ApiCall, player: ModelRunner): Promise<{ answer: Answer | null; played: Played }> {
  const expectation = player.model.expect(call, CALM);
  const answer = await player.world.call(call, null);
  const deviation = answer === null ? 'the connection ended without an answer' : expectation.judge(answer);
  return { answer, played: { outcome: expectation.code ?? 'ok', deviation } };
}

/** Keeps a token as the one that its wallet's agent uses from now on. */
function keepToken(step: Step, answer: Answer, player: ModelRunner): void {
  const { token, wallet } = answer.body as { token?: unknown; wallet?: unknown };
  if (typeof token !== 'string' || typeof wallet !== 'string') return;
  const name = player.nameOf(wallet);
  if (name === null) return;
  const { memory } = player;
  memory.oldTokens.push(player.keep(step, 'token', token));
  memory.tokens.set(name, { text: token, issuedMs: player.world.nowMs() });
}

async function verify(
  step: Step,
  player: ModelRunner,
  body: { readonly wallet: Json; readonly signature: Json; readonly message: Json },
): Promise<Played> {
  const { answer, played } = await judged({ ...OPEN, operation: 'verify', body }, player);
  if (played.deviation === null && answer?.status === 200) keepToken(step, answer, player);
  return played;
}

/** A whole sign-in: a challenge, its signature, a token. */
export const SIGN_IN: Command = {
  name: 'signIn',
  weight: 1,
  draw: (dice, player) => ({ do: 'signIn', by: dice.pick(player.names), with: {} }),
  play: async (step, player) => {
    const wallet = player.wallet(step.by ?? '');
    const asked = { ...OPEN, operation: 'challenge', body: { wallet: wallet.address } } as const;
    const { answer, played } = await judged(asked, player);
    if (played.deviation !== null || answer?.status !== 200) return played;
    rememberCall('challenge', step, { answer, player });
    const message = (answer.body as { challenge: string }).challenge;
    return verify(step, player, { wallet: wallet.address, signature: wallet.signText(message), message });
  },
};

function drawVerify(dice: Random, player: ModelRunner): Drawn | null {
  const { challenges } = player.memory;
  if (challenges.length === 0) return null;
  const { reference, of } = dice.chance(70)
    ? (challenges.at(-1) as (typeof challenges)[number])
    : dice.pick(challenges);
  const signer = dice.chance(85) ? of : dice.pick(player.names);
  const who = dice.chance(90) ? of : dice.pick(player.names);
  const change = dice.chance(92) ? {} : { change: dice.pick(['message', 'signature', 'empty']) };
  return { do: 'verify', by: signer, with: { wallet: `\${${who}}`, message: reference, ...change } };
}

/** Flips a character of base58 text, or of any text. */
function flipped(text: string): string {
  const last = text.at(-1) === '2' ? '3' : '2';
  return text.slice(0, -1) + last;
}

/** A challenge that is answered again, by somebody else, too late, or with something changed. `by` signs. */
export const VERIFY: Command = {
  name: 'verify',
  weight: 1,
  draw: drawVerify,
  play: async (step, player) => {
    const { wallet, message, change } = player.resolve(step.with) as Record<string, string>;
    const text = message ?? '';
    const signature = player.wallet(step.by ?? '').signText(text);
    return verify(step, player, {
      wallet: wallet ?? '',
      signature: change === 'signature' ? flipped(signature) : change === 'empty' ? '' : signature,
      message: change === 'message' ? flipped(text) : text,
    });
  },
};
