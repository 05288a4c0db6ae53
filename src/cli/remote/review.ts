import type { Argv } from 'yargs';
import type { Ask } from '../../api/control/client.js';
import { UsageError } from '../usage.js';
import { load, remote } from './options.js';
import { LOAN_STATUSES } from '../../core/domain/state.js';

interface LoanTold {
  readonly loanId: string;
  readonly status: string;
  readonly outstanding: number;
  readonly dueDate: string | null;
}

const loanLine = ({ loanId, status, outstanding, dueDate }: LoanTold) =>
  `${loanId} ${status}, ${outstanding} USDC owed${dueDate === null ? '' : `, due ${dueDate}`}`;

function onLoan<T>(c: Argv<T>) {
  return remote(c).positional('loan', { type: 'string', demandOption: true });
}

function queueCommands<T>(r: Argv<T>) {
  const decide = (verb: 'approve' | 'deny', y: Argv<T>) =>
    y.command(
      `${verb} <loan>`,
      `${verb} an application`,
      (c) =>
        onLoan(c)
          .option('reason', { type: 'string', describe: 'recorded with the decision' })
          .example(`$0 review ${verb} loan_1a2b --reason "known agent"`, 'decides loan_1a2b'),
      async (args) =>
        (await load()).withControlClient(
          args,
          (control) => control.do(verb, { id: args.loan, body: { reason: args.reason } }),
          ({ loanId, decision }) => `${loanId} ${decision}`,
        ),
    );
  const listed = r.command(
    ['list', '$0'],
    'list pending applications, oldest first',
    (c) => remote(c).example('$0 review list', 'pending applications'),
    async (args) =>
      (await load()).withControlClient(
        args,
        (control) => control.do('reviews'),
        ({ reviews }) =>
          reviews.length === 0
            ? 'no pending applications'
            : reviews
                .map(
                  (one) =>
                    `${one.loanId} ${one.wallet} ${one.amount} USDC ${one.purpose} ${one.durationDays}d ${one.createdAt}`,
                )
                .join('\n'),
      ),
  );
  return decide('deny', decide('approve', listed));
}

type Policy = NonNullable<Ask<'setReviewPolicy'>['body']>['policy'];

/** Parses a policy given as a word, or as JSON of a script. */
function policyOf(text: string): Policy {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text) as Policy;
  } catch {
    throw new UsageError(`not valid JSON: ${text}`);
  }
}

interface PolicyTold {
  readonly policy: string;
  readonly script?: { readonly steps: readonly string[]; readonly taken: number } | undefined;
}

const policyLine = ({ policy, script }: PolicyTold) =>
  script === undefined ? policy : `${policy} (${script.taken} of ${script.steps.length} taken)`;

function policyCommand<T>(r: Argv<T>) {
  return r.command(
    'policy [policy]',
    'show or set the review policy',
    (c) =>
      remote(c)
        .positional('policy', { type: 'string', describe: 'manual, auto, delay:2h, script:… or JSON' })
        .example('$0 review policy', 'show the policy')
        .example('$0 review policy delay:2h', 'the score decides after two hours')
        .example(
          '$0 review policy script:approve,deny:thin file,manual,after:auto',
          'one step per application',
        ),
    async (args) => {
      const { policy } = args;
      await (
        await load()
      ).withControlClient<PolicyTold>(
        args,
        (control) =>
          policy === undefined
            ? control.do('reviewPolicy')
            : control.do('setReviewPolicy', { body: { policy: policyOf(policy) } }),
        policyLine,
      );
    },
  );
}

function loansCommand<T>(r: Argv<T>) {
  return r.command(
    'loans',
    'list loans and applications, newest first',
    (c) =>
      remote(c)
        .option('wallet', { type: 'string', describe: 'only loans of this wallet' })
        .option('status', {
          choices: LOAN_STATUSES,
          describe: 'only loans with this status',
        })
        .option('limit', { type: 'number', describe: '1 to 1000 (default 100)' })
        .example('$0 review loans --status overdue', 'loans past their due date'),
    async (args) => {
      const { wallet, status, limit } = args;
      await (
        await load()
      ).withControlClient(
        args,
        (control) => control.do('loans', { query: { wallet, status, limit } }),
        ({ loans, total }) =>
          total === 0 ? 'no loans' : [...loans.map(loanLine), `${loans.length} of ${total}`].join('\n'),
      );
    },
  );
}

function ageCommands<T>(r: Argv<T>) {
  const age = (verb: 'overdue' | 'default', what: string, y: Argv<T>) =>
    y.command(
      `${verb} <loan>`,
      what,
      (c) =>
        onLoan(c)
          .option('reason', { type: 'string', describe: 'recorded in the journal' })
          .example(`$0 review ${verb} loan_1a2b`, 'immediately'),
      async (args) => {
        const command = verb === 'overdue' ? 'overdueLoan' : 'defaultLoan';
        await (
          await load()
        ).withControlClient(
          args,
          (control) => control.do(command, { id: args.loan, body: { reason: args.reason } }),
          loanLine,
        );
      },
    );
  return age(
    'default',
    'make an active or overdue loan default now',
    age('overdue', 'make an active loan overdue now', r),
  );
}

function mendCommands<T>(r: Argv<T>) {
  return r
    .command(
      'cure <loan>',
      'reactivate an overdue or defaulted loan with a new due date',
      (c) =>
        onLoan(c)
          .option('due', { type: 'string', describe: 'the new due date, ISO 8601' })
          .option('in', { type: 'string', describe: 'or a duration from now (default: that of the loan)' })
          .option('forgive', {
            type: 'boolean',
            describe: 'also remove the missed payment from the record of the agent',
          })
          .option('reason', { type: 'string', describe: 'recorded in the journal' })
          .example('$0 review cure loan_1a2b --in 30d', 'another month to pay'),
      async (args) => {
        const { due: dueDate, in: dueIn, forgive, reason } = args;
        await (
          await load()
        ).withControlClient(
          args,
          (control) => control.do('cureLoan', { id: args.loan, body: { dueDate, dueIn, forgive, reason } }),
          loanLine,
        );
      },
    )
    .command(
      'pay <loan> <amount>',
      'repay a loan externally, by a transfer from the faucet to the treasury',
      (c) =>
        onLoan(c)
          .positional('amount', { type: 'number', demandOption: true })
          .example('$0 review pay loan_1a2b 50', '50 USDC'),
      async (args) =>
        (await load()).withControlClient(
          args,
          (control) => control.do('payLoan', { id: args.loan, body: { amount: args.amount } }),
          ({ loan, paid, signature }) => `${loanLine(loan)}; ${paid} USDC paid by ${signature}`,
        ),
    );
}

/** Adds `review`. */
export function reviewCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('review', 'review credit applications and change loans', (r) =>
    mendCommands(ageCommands(loansCommand(policyCommand(queueCommands(r))))),
  );
}
