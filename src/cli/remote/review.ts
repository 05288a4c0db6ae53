import type { Ask } from '../../api/control/client.js';
import { LOAN_STATUSES } from '../../core/domain/state.js';
import { UsageError } from '../usage.js';
import { commandGroup, remoteCommand } from './remote-command.js';

interface LoanView {
  readonly loanId: string;
  readonly status: string;
  readonly outstanding: number;
  readonly dueDate: string | null;
}

const loanLine = ({ loanId, status, outstanding, dueDate }: LoanView) =>
  `${loanId} ${status}, ${outstanding} USDC owed${dueDate === null ? '' : `, due ${dueDate}`}`;

const LOAN = { type: 'string', demandOption: true } as const;

const LIST = remoteCommand({
  command: ['list', '$0'],
  describe: 'list pending applications, oldest first',
  examples: [['review list', 'pending applications']],
  call: (control) => control.do('reviews'),
  print: ({ reviews }) =>
    reviews.length === 0
      ? 'no pending applications'
      : reviews
          .map(
            (one) =>
              `${one.loanId} ${one.wallet} ${one.amount} USDC ${one.purpose} ${one.durationDays}d ${one.createdAt}`,
          )
          .join('\n'),
});

const decide = (verb: 'approve' | 'deny') =>
  remoteCommand({
    command: `${verb} <loan>`,
    describe: `${verb} an application`,
    positionals: { loan: LOAN },
    options: { reason: { type: 'string', describe: 'recorded with the decision' } },
    examples: [[`review ${verb} loan_1a2b --reason "known agent"`, 'decides loan_1a2b']],
    call: (control, { loan, reason }) => control.do(verb, { id: loan, body: { reason } }),
    print: ({ loanId, decision }) => `${loanId} ${decision}`,
  });

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

interface PolicyView {
  readonly policy: string;
  readonly script?: { readonly steps: readonly string[]; readonly taken: number } | undefined;
}

const POLICY = remoteCommand({
  command: 'policy [policy]',
  describe: 'show or set the review policy',
  positionals: { policy: { type: 'string', describe: 'manual, auto, delay:2h, script:… or JSON' } },
  examples: [
    ['review policy', 'show the policy'],
    ['review policy delay:2h', 'the score decides after two hours'],
    ["review policy 'script:approve,deny:thin file,manual,after:auto'", 'one step per application'],
  ],
  call: async (control, { policy }): Promise<PolicyView> =>
    policy === undefined
      ? control.do('reviewPolicy')
      : control.do('setReviewPolicy', { body: { policy: policyOf(policy) } }),
  print: ({ policy, script }) =>
    script === undefined ? policy : `${policy} (${script.taken} of ${script.steps.length} taken)`,
});

const LOANS = remoteCommand({
  command: 'loans',
  describe: 'list loans and applications, newest first',
  options: {
    wallet: { type: 'string', describe: 'only loans of this wallet' },
    status: { choices: LOAN_STATUSES, describe: 'only loans with this status' },
    limit: { type: 'number', describe: '1 to 1000 (default 100)' },
  },
  examples: [['review loans --status overdue', 'loans past their due date']],
  call: (control, { wallet, status, limit }) => control.do('loans', { query: { wallet, status, limit } }),
  print: ({ loans, total }) =>
    total === 0 ? 'no loans' : [...loans.map(loanLine), `${loans.length} of ${total}`].join('\n'),
});

const age = (verb: 'overdue' | 'default', describe: string) =>
  remoteCommand({
    command: `${verb} <loan>`,
    describe,
    positionals: { loan: LOAN },
    options: { reason: { type: 'string', describe: 'recorded in the journal' } },
    examples: [[`review ${verb} loan_1a2b`, 'immediately']],
    call: (control, { loan, reason }) =>
      control.do(verb === 'overdue' ? 'overdueLoan' : 'defaultLoan', { id: loan, body: { reason } }),
    print: loanLine,
  });

const CURE = remoteCommand({
  command: 'cure <loan>',
  describe: 'reactivate an overdue or defaulted loan with a new due date',
  positionals: { loan: LOAN },
  options: {
    due: { type: 'string', describe: 'the new due date, ISO 8601' },
    in: { type: 'string', describe: 'or a duration from now (default: that of the loan)' },
    forgive: {
      type: 'boolean',
      describe: 'also remove the missed payment from the record of the agent',
    },
    reason: { type: 'string', describe: 'recorded in the journal' },
  },
  examples: [['review cure loan_1a2b --in 30d', 'another month to pay']],
  call: (control, { loan, due: dueDate, in: dueIn, forgive, reason }) =>
    control.do('cureLoan', { id: loan, body: { dueDate, dueIn, forgive, reason } }),
  print: loanLine,
});

const PAY = remoteCommand({
  command: 'pay <loan> <amount>',
  describe: 'repay a loan externally, by a transfer from the faucet to the treasury',
  positionals: { loan: LOAN, amount: { type: 'number', demandOption: true } },
  examples: [['review pay loan_1a2b 50', '50 USDC']],
  call: (control, { loan, amount }) => control.do('payLoan', { id: loan, body: { amount } }),
  print: ({ loan, paid, signature }) => `${loanLine(loan)}; ${paid} USDC paid by ${signature}`,
});

export const REVIEW = commandGroup('review', 'review credit applications and change loans', [
  LIST,
  decide('approve'),
  decide('deny'),
  POLICY,
  LOANS,
  age('overdue', 'make an active loan overdue now'),
  age('default', 'make an active or overdue loan default now'),
  CURE,
  PAY,
]);
