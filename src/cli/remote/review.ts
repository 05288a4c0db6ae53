import type { Argv } from 'yargs';
import { load, remote } from './options.js';

function reviewCommands<T>(r: Argv<T>) {
  const decide = (verb: 'approve' | 'deny', y: Argv<T>) =>
    y.command(
      `${verb} <loan>`,
      `${verb} an application`,
      (c) =>
        remote(c)
          .positional('loan', { type: 'string', demandOption: true })
          .option('reason', { type: 'string', describe: 'what the agent reads' })
          .example(`$0 review ${verb} loan_1a2b --reason "known agent"`, 'the loan is decided'),
      async (args) =>
        (await load()).remotely(
          args,
          (control) => control.do(verb, { id: args.loan, body: { reason: args.reason } }),
          ({ loanId, decision }) => `${loanId} ${decision}`,
        ),
    );
  const listed = r.command(
    ['list', '$0'],
    'applications that wait, oldest first',
    (c) => remote(c).example('$0 review list', 'who wants what'),
    async (args) =>
      (await load()).remotely(
        args,
        (control) => control.do('reviews'),
        ({ reviews }) =>
          reviews.length === 0
            ? 'nothing waits for a decision'
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

/** Adds `review`. */
export function reviewCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('review', 'decide applications for credit of a running simulator', (r) =>
    reviewCommands(r),
  );
}
