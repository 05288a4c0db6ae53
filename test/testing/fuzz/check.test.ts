import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { byVerb } from '../../../src/testing/fuzz/commands/command.js';
import { checkArguments } from '../../../src/testing/fuzz/commands/arguments.js';
import {
  Bank,
  COMMANDS,
  type ChangeInvariant,
  type Command,
  type Drawn,
  type Invariant,
  Sequence,
  type Step,
  amount,
  calls,
  campaign,
  check,
  operation,
  type Rule,
  replay,
  sequence,
  span,
  wallet,
} from '../../../src/testing/fuzz-library.js';
import { failureByHand } from './by-hand.js';

/** Fails at the first withdrawal that is carried out. */
const noWithdrawal: Invariant = (_sim, { do: name }, { outcome }) => name !== 'withdraw' || outcome !== 'ok';
const LIMITS = { property: 'limits' } as const;

/** What fast-check tells of a failing check. */
async function detailsOf(
  parameters: fc.Parameters<[Sequence]>,
  invariant: Invariant | ChangeInvariant = noWithdrawal,
): Promise<fc.RunDetails<[Sequence]>> {
  let details: fc.RunDetails<[Sequence]> | null = null;
  const reporter = (told: fc.RunDetails<[Sequence]>) => {
    details = told;
  };
  await check(invariant, { seed: 3, numRuns: 20, ...parameters, reporter }, LIMITS);
  if (details === null) throw new Error('nothing was reported');
  return details;
}

let kept: ReturnType<typeof detailsOf> | undefined;
/** What a check finds and shrinks, which several tests begin with. */
const sharedFind = () => (kept ??= detailsOf({}));

/** Configures fast-check until the test is over; a reset would also take the seed from the files that follow in this process. */
function configure(parameters: fc.GlobalParameters): void {
  const before = fc.readConfigureGlobal();
  fc.configureGlobal({ ...before, ...parameters });
  onTestFinished(() => fc.configureGlobal(before));
}

const commandsOf = ({ counterexample }: fc.RunDetails<[Sequence]>) =>
  counterexample?.[0].steps.map((step) => step.do);

describe('check', () => {
  it('asserts an invariant, and shrinks what breaks it to the steps that it takes', async () => {
    const failing = check(noWithdrawal, { seed: 3, numRuns: 20 }, LIMITS);
    await expect(failing).rejects.toThrow(
      /seed: 3, path: "\d[\d:]*".*\n.*\n.*ann\.signIn[^]*withdraw \{"body"[^]*Shrunk \d+ time/,
    );
    const held = await check((sim) => sim.now().getTime() > 0, { seed: 3, numRuns: 3 });
    expect(held).toMatchObject({ failed: false, interrupted: false, numRuns: 3, seed: 3 });
  });

  it('repeats a counterexample by seed and path, or by the number of its run', async () => {
    const found = await sharedFind();
    expect(commandsOf(found)).toEqual(['signIn', 'send', 'deposit', 'withdraw']);
    const path = found.counterexamplePath ?? '';
    for (const again of [path, path.split(':')[0] as string]) {
      const repeated = await detailsOf({ path: again, endOnFailure: again.includes(':') });
      expect(repeated.numRuns).toBe(1);
      expect(repeated.counterexample).toEqual(found.counterexample);
    }
  });

  it('follows a path to where it ends, and shrinks on from there', async () => {
    const whole = (await sharedFind()).counterexamplePath ?? '';
    const half = whole.split(':').slice(0, 4).join(':');
    const between = await detailsOf({ path: half, endOnFailure: true });
    expect(between).toMatchObject({ numRuns: 1, numShrinks: 0, counterexamplePath: half });
    expect(commandsOf(between)?.length).toBeGreaterThan(4);
    expect(await detailsOf({ path: half })).toMatchObject({ numRuns: 1, counterexamplePath: whole });
    await expect(detailsOf({ path: `${whole}:999:0` })).rejects.toThrow('got wrong path');
    const wrongEnd = whole.replace(/\d+$/, '9999');
    await expect(detailsOf({ path: wrongEnd })).rejects.toThrow(`path: ${wrongEnd} leads to no run`);
  });

  it('passes with the path of a failure that was mended', async () => {
    const path = (await sharedFind()).counterexamplePath ?? '';
    expect(path).toContain(':');
    const mended = await detailsOf({ path }, () => true);
    expect(mended).toMatchObject({ failed: false, numRuns: 1 });
    const others = { ...LIMITS, weights: { withdraw: 0 } };
    expect(await check(noWithdrawal, { seed: 3, path }, others)).toMatchObject({ failed: false, numRuns: 1 });
  });

  it('leaves a failure as it was drawn with endOnFailure, and plays examples first', async () => {
    const whole = await detailsOf({ endOnFailure: true });
    expect(whole.numShrinks).toBe(0);
    const [first] = whole.counterexample ?? [];
    expect(first?.steps.length).toBeGreaterThan(13);
    const example = new Sequence(first?.steps ?? [], null);
    const shrunk = await detailsOf({ examples: [[example]] });
    expect(shrunk.numRuns).toBe(1);
    expect(commandsOf(shrunk)).toEqual(['signIn', 'send', 'deposit', 'withdraw']);
  });

  it('is interrupted after a time, and waits for the sequence under way', async () => {
    const details = await detailsOf({ interruptAfterTimeLimit: 1, markInterruptAsFailure: true });
    expect(details).toMatchObject({ failed: true, interrupted: true });
  });

  it('takes what fast-check was configured with', async () => {
    configure({ numRuns: 2 });
    let sequences = 0;
    const count = (_sim: unknown, { id }: Step) => {
      sequences += id === 14 ? 1 : 0;
    };
    await check(count, { seed: 1 });
    expect(sequences).toBe(2);
  });

  it('fails by what an invariant throws or rejects with', async () => {
    const rejecting = () => Promise.reject(new Error('never so'));
    const failing = await check(rejecting, { numRuns: 1 }).catch((error: unknown) => error);
    expect(failing).toMatchObject({
      message: expect.stringMatching(/\ns1 {2}time.advance/) as string,
      cause: {
        message: expect.stringMatching(/^after s1 .*: never so$/) as string,
        cause: { message: 'never so' },
      },
    });
  });
});

describe('check of an invariant about change', () => {
  const reverting = { property: 'everything', weights: { snapshot: 20, revert: 20 } } as const;

  it('starts again after a revert, so that what only grows is never seen to shrink', async () => {
    let [starts, steps] = [0, 0];
    const growing: ChangeInvariant = {
      start: async (sim) => {
        starts += 1;
        let before = sim.books.entries();
        return () => {
          steps += 1;
          const now = sim.books.entries();
          expect(now).toBeGreaterThanOrEqual(before);
          before = now;
        };
      },
    };
    await check([growing], { seed: 2, numRuns: 12 }, reverting);
    expect(starts).toBeGreaterThan(24);
    expect(steps).toBeGreaterThan(5 * starts);
  });

  it('shrinks what breaks it to the steps that it takes, each attempt with values of its own', async () => {
    const once: ChangeInvariant = {
      start: () => {
        let withdrawals = 0;
        return (_sim, { do: name, with: { body } }, { outcome }) => {
          const isOfUsdc = (body as { token?: string } | undefined)?.token === 'USDC';
          if (name === 'withdraw' && isOfUsdc && outcome === 'ok') withdrawals += 1;
          return withdrawals < 3;
        };
      },
    };
    const broken = await detailsOf({}, once);
    expect(commandsOf(broken)).toEqual(['signIn', 'send', 'deposit', 'withdraw', 'withdraw', 'withdraw']);
    const again = await detailsOf({ path: broken.counterexamplePath ?? '' }, once);
    expect(again.counterexample).toEqual(broken.counterexample);
  });
});

it('a check skips a run whose precondition does not hold', async () => {
  const skipping = (_sim: unknown, { id }: Step) => fc.pre(id < 14);
  await expect(check(skipping, { numRuns: 1 })).rejects.toThrow(/too many pre-condition failures/);
});

const holds = () => true;
const withOption = (options: object) => () => check(holds, {}, options);
const withParameter = (parameters: object) => () => check(holds, parameters);
const playing = (step: Omit<Step, 'id'>) =>
  withParameter({ examples: [[new Sequence([{ id: 1, ...step }], null)]] });
const solvent = (verdict: unknown) =>
  Object.defineProperty(() => verdict, 'name', { value: 'solvent' }) as never;
const noBooks = () => {
  throw new TypeError('no books');
};

// As it is, and not as a failure of the property.
it.each<readonly [string, () => Promise<unknown>, string]>([
  ['an unknown command', playing({ do: 'juggle', with: {} }), 'there is no command juggle'],
  ['a wrong argument', playing({ do: 'time.advance', with: { by: 1 } }), 'time.advance: by: '],
  ['no steps', withOption({ steps: 0 }), 'steps must be 1 or more'],
  ['too many agents', withOption({ agents: 9 }), 'agents must be 1 to 8'],
  ['half an agent', withOption({ agents: 2.5 }), 'agents must be 1 to 8 and whole, not 2.5'],
  ['a weight of text', withOption({ weights: { send: '0' } }), 'the weight of send must be a number, 0 or m'],
  ['no weight', withOption({ weights: { send: Number.NaN } }), 'the weight of send must be a number, 0 or m'],
  ['drawn limits', withOption({ property: 'other-limits' }), 'check cannot draw limits; give them in limits'],
  [
    'runs, which are a parameter of fast-check',
    withOption({ runs: 3 }),
    'there is no option runs; there are',
  ],
  [
    'a misspelt option',
    withOption({ proprty: 'limits' }),
    'there is no option proprty; did you mean property? there are property, steps, agents',
  ],
  [
    'a misspelt parameter',
    withParameter({ numRun: 1 }),
    'there is no parameter numRun; did you mean numRuns?',
  ],
  ['a parameter in capitals', withParameter({ Path: '1' }), 'there is no parameter Path; did you mean path?'],
  ['no runs', withParameter({ numRuns: 0 }), 'numRuns must be 1 or more'],
  ['an invariant without start', () => check({} as never), 'an invariant must be a function, or'],
  ['a start that throws', () => check({ start: noBooks }), 'no books'],
  ['an empty list of invariants', () => check([]), 'give check an invariant; the list is empty'],
  [
    'an invariant that returns text',
    () => check(solvent('broken')),
    'the invariant solvent: cannot be broken. Return false or throw',
  ],
  [
    'a rule that returns neither text nor null',
    () => campaign({ rules: [solvent(true)] }),
    'the rule solvent returned true; it must return text where it is broken, otherwise null',
  ],
  ['a rule without a name', () => campaign({ rules: [(() => ({})) as never] }), 'the rule 1 returned {}'],
])('%s is refused', async (_what, using, message) => {
  const refused = await using().then(String, ({ message: text }: Error) => text);
  expect(refused.slice(0, message.length)).toBe(message);
});

it.each<[string, (options: object) => unknown]>([
  ['check', (options) => check(holds, {}, options)],
  ['campaign', campaign],
  ['Bank.open', (options) => Bank.open(options)],
  ['replay', (options) => replay(failureByHand([]), options)],
  ['sequence', async (options) => sequence(options as Record<string, never>)],
])('%s refuses an option that it does not have', async (_name, using) => {
  await expect(using({ enginee: 'bankrun' })).rejects.toThrow(/^[^;]*option enginee\b/);
});

it('a campaign plays the same when fast-check is configured otherwise', async () => {
  const small = { runs: 4, seed: 3, property: 'limits' } as const;
  const { seconds: _, ...plain } = await campaign(small);
  configure({ interruptAfterTimeLimit: 1, unbiased: true, endOnFailure: true, numRuns: 1 });
  const { seconds: _seconds, ...configured } = await campaign(small);
  expect(configured).toEqual(plain);
});

describe('arbitraries', () => {
  it('draw amounts beside edges, which shrink to rounder ones', () => {
    const drawn = fc.sample(amount('USDC', [3_000]), { numRuns: 500, seed: 1 });
    for (const edge of [3_000, 3_000.000001, 2_999.999999]) expect(drawn).toContain(edge);
    expect(drawn.every((value) => value > 0 && Number(value.toFixed(6)) === value)).toBe(true);
    const { counterexample } = fc.check(
      fc.property(amount('USDC', [1_234.56]), (value) => value < 1_000),
      { seed: 1 },
    );
    expect(counterexample).toEqual([1_000]);
  });

  it('draw agents, spans, calls and sequences', () => {
    expect(new Set(fc.sample(wallet(), 100))).toEqual(new Set(['ann', 'ben', 'cem']));
    expect(fc.sample(span(), 100)).toContain(86_400_000);
    const names = new Set(fc.sample(operation(), 500).map((call) => call.do));
    expect(names.size).toBe(20);
    expect(fc.sample(operation('loanApply'), 1)[0]).toMatchObject({ do: 'loanApply' });
    expect(fc.sample(sequence(), 1)[0]).toBeInstanceOf(Sequence);
  });
});

it('a bank plays calls as commands of a model run, each from where its agents have deposited', async () => {
  const bank = await Bank.open({ agents: 2 });
  const real = async () => {
    await bank.reset();
    return { model: {}, real: bank };
  };
  const property = fc.asyncProperty(fc.commands([calls('account', 'withdraw'), calls()]), (commands) =>
    fc.asyncModelRun(real, commands),
  );
  await fc.assert(property, { numRuns: 10, seed: 1 });
  await bank.reset();
  const made = fc.sample(calls('account'), { numRuns: 9, seed: 1 });
  for (const call of made) await call.run({}, bank);
  expect(made.join('; ')).not.toContain('cem');
  expect(await bank.play({ do: 'withdraw', by: 'ann', with: { body: { amount: 1, token: 'USDC' } } })).toBe(
    'ok',
  );
  expect((await bank.call('ann', 'account', {})).status).toBe(200);
  await bank.close();
});

describe('arguments of a command', () => {
  it('fit every step that is drawn', async () => {
    const drawn = new Set<string>();
    const fits: Rule = (_runner, step) => {
      drawn.add(step.do);
      checkArguments([step], { commands: byVerb(COMMANDS) });
      return null;
    };
    const ofLoans = { loanApply: 8, loan: 20, 'loan.pay': 20, desk: 12 };
    const ofWorlds = { snapshot: 9, revert: 9, reload: 6, drain: 6, kill: 1 };
    const rare = { ...ofLoans, ...ofWorlds, 'faucet.give': 6, verify: 6 };
    const { found } = await campaign({ runs: 40, seed: 1, rules: [fits], weights: rare });
    expect(found).toBeNull();
    expect([...byVerb(COMMANDS).keys()].filter((verb) => !drawn.has(verb))).toEqual([]);
  });

  it('are refused by name, if a bank is to play others', async () => {
    const bank = await Bank.open();
    onTestFinished(() => bank.close());
    for (const [step, message] of [
      [{ do: 'time.advance', with: {} }, 'time.advance: by: is missing'],
      ...['0s', 'P1D', '1.5ms'].map(
        (by) => [{ do: 'time.advance', with: { by } }, 'time.advance: by: must be a duration'] as const,
      ),
      [{ do: 'loan.cure', with: { loan: 'x', dueIn: 'P30D' } }, 'loan.cure: dueIn: must be a duration'],
      [{ do: 'oracle.set', with: { in: '1h' } }, 'oracle.set: with: give usdc or sol'],
      [{ do: 'faucet.give', with: { to: '${ann}', usdc: 1.0000001 } }, 'faucet.give: usdc: '],
      [{ do: 'identity.link', with: { of: 'ann' } }, 'identity.link: of: must be an address such as ${ann}'],
      [{ do: 'time.advance', with: { ms: 1, by: '1d' } }, 'time.advance: with: Unrecognized key: "ms"'],
      [{ do: 'time.advance' }, 'time.advance: with: is missing'],
      [
        { do: 'send', by: 'ann', with: { transfers: [{ to: '${treasury}', token: 'USDC' }] } },
        'send: transfers.0.amount: is missing',
      ],
      [{ do: 'withdraw', by: 'ann', with: { amount: 1 } }, 'withdraw: with: Unrecognized key: "amount"'],
      [{ do: 'account', by: 'bem', with: {} }, 'there is no agent bem; did you mean ben? there are ann, ben'],
    ] as const)
      await expect(bank.play(step as Drawn)).rejects.toThrow(message);
    await expect(bank.call('zed', 'account', {})).rejects.toThrow(
      'there is no agent zed; there are ann, ben',
    );
    expect(await bank.play({ do: 'time.advance', with: { by: '1ms' } })).toBe('ok');
    expect(await bank.play({ do: 'identity.link', with: { of: '${ann}', x: true } })).toBe('ok');
  });

  it('are not checked for a command of the user that replaces one', async () => {
    const policy: Command = {
      name: 'review.policy',
      weight: 1,
      draw: () => fc.constant(null),
      play: async ({ with: { by } }) => ({ outcome: `by ${JSON.stringify(by)}`, deviation: null }),
    };
    const bank = await Bank.open({ commands: [policy] });
    onTestFinished(() => bank.close());
    expect(await bank.play({ do: 'review.policy', with: { by: '1d' } })).toBe('by "1d"');
  });
});
