import type { AnswerOf } from '../../api/control/client.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { readable } from './table.js';

type PrintedLoan = Pick<AnswerOf<'overdueLoan'>, 'loanId' | 'status' | 'outstanding' | 'dueDate'>;

export const loanLine = ({ loanId, status, outstanding, dueDate }: PrintedLoan) =>
  `${loanId} ${status}, ${outstanding} USDC owed${dueDate === null ? '' : `, due ${dueDate}`}`;

const decide = (verb: 'approve' | 'deny') =>
  remoteCommand(verb, {
    command: `${verb} <loan>`,
    examples: [[`review ${verb} loan_1a2b --reason "known agent"`, 'decides loan_1a2b']],
    print: ({ loanId, decision }) => `${loanId} ${decision}`,
  });

const POLICY = remoteCommand('setReviewPolicy', {
  command: 'policy [policy]',
  describe: 'show or set the review policy',
  examples: [
    ['review policy', 'show the policy'],
    ['review policy delay:2h', 'the score decides after two hours'],
  ],
  call: async (control, ask): Promise<AnswerOf<'reviewPolicy'>> =>
    ask.body?.policy === undefined ? control.do('reviewPolicy') : control.do('setReviewPolicy', ask),
  print: ({ policy }) => policy,
});

export const REVIEW = commandGroup('review', 'review credit applications and change loans', [
  remoteCommand('reviews', {
    command: ['list', '$0'],
    examples: [['review list', 'pending applications']],
    print: (answer) => (answer.reviews.length === 0 ? 'no pending applications' : readable(answer)),
  }),
  decide('approve'),
  decide('deny'),
  POLICY,
  remoteCommand('loans', {
    command: 'loans',
    examples: [['review loans --status overdue', 'loans past their due date']],
    print: ({ loans, total }) =>
      total === 0 ? 'no loans' : [...loans.map(loanLine), `${loans.length} of ${total}`].join('\n'),
  }),
  remoteCommand('overdueLoan', {
    command: 'overdue <loan>',
    examples: [['review overdue loan_1a2b', 'immediately']],
    print: loanLine,
  }),
  remoteCommand('defaultLoan', {
    command: 'default <loan>',
    examples: [['review default loan_1a2b', 'immediately']],
    print: loanLine,
  }),
  remoteCommand('cureLoan', {
    command: 'cure <loan>',
    names: { dueDate: 'due', dueIn: 'in' },
    examples: [['review cure loan_1a2b --in 30d', 'another month to pay']],
    print: loanLine,
  }),
  remoteCommand('payLoan', {
    command: 'pay <loan> <amount>',
    examples: [['review pay loan_1a2b 50', '50 USDC']],
    print: ({ loan, paid, signature }) => `${loanLine(loan)}; ${paid} USDC paid by ${signature}`,
  }),
]);
