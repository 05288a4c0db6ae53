import { Facts } from '../components/facts.js';
import { CommandDialog } from '../components/command.js';
import { Input } from '../components/form.js';
import { Amount, Id, Status, When } from '../components/ids.js';
import { LoanActions, LoanTable, type LoanRow, ReviewActions } from '../components/loans.js';
import { Head, Panel } from '../components/panel.js';
import { Empty, Read } from '../components/states.js';
import { useSession } from '../session.js';
import { countText, percentText, usdText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

/** The score of an applicant, as it is now. */
function Evidence({ wallet }: { readonly wallet: string }) {
  const reading = useCommand('customer', { id: wallet });
  return (
    <Read of={reading}>
      {({ score: { score, decision, creditLimit, apr, evidence } }) => (
        <Facts
          rows={[
            ['Score', `${score}, ${decision.toLowerCase().replaceAll('_', ' ')}`],
            ['Credit limit', `${usdText(creditLimit)} at ${percentText(apr)}`],
            ['Holdings', `${usdText(evidence.holdings)}, customer for ${evidence.tenureDays} days`],
            [
              'Repayments',
              `${evidence.repaidOnTime} on time, ${evidence.late} late, ${evidence.defaulted} defaulted`,
            ],
          ]}
        />
      )}
    </Read>
  );
}

function Applications() {
  const reading = useCommand('reviews');
  return (
    <Panel title="Applications">
      <Read of={reading}>
        {({ reviews }) =>
          reviews.length === 0 ? (
            <Empty>No application waits for a decision.</Empty>
          ) : (
            <ul class="cards">
              {reviews.map(({ loanId, wallet, amount, purpose, durationDays, createdAt }) => (
                <li key={loanId}>
                  <Facts
                    rows={[
                      ['Application', <Id id={loanId} to="loans" />],
                      ['Agent', <Id id={wallet} to="agents" />],
                      [
                        'Asks for',
                        <>
                          <Amount value={amount} token="USDC" /> for {durationDays} days, {purpose}
                        </>,
                      ],
                      ['Made', <When at={createdAt} />],
                    ]}
                  />
                  <Evidence wallet={wallet} />
                  <ReviewActions loanId={loanId} />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </Panel>
  );
}

function Policy() {
  const reading = useCommand('reviewPolicy');
  if (reading.data === null) return null;
  const { policy } = reading.data;
  return (
    <>
      <span class="quiet">
        Policy <code>{policy}</code>
      </span>
      <CommandDialog
        name="Set policy"
        title="Review policy"
        command="setReviewPolicy"
        ask={({ policy: text = '' }) => ({ body: { policy: text } })}
        done="The policy is set."
      >
        <Input
          label="Policy"
          name="policy"
          value={policy}
          hint="manual, auto, delay:2h, or script:approve,deny:too much debt,manual"
          isRequired
        />
      </CommandDialog>
    </>
  );
}

const STATUSES = ['pending_review', 'active', 'overdue', 'defaulted', 'repaid', 'denied'] as const;
type LoanStatus = LoanRow['status'];

function Filter({ status }: { readonly status: string }) {
  const session = useSession();
  return (
    <div class="actions" role="group" aria-label="Status">
      {STATUSES.map((each) => (
        <button
          key={each}
          type="button"
          class="chip"
          aria-pressed={status === each}
          onClick={() => session.setQuery({ status: status === each ? '' : each })}
        >
          {each.replace('_', ' ')}
        </button>
      ))}
    </div>
  );
}

/** The newest loans are shown; a filter finds others. */
const SHOWN = 200;

function LoanPage({ id }: { readonly id: string }) {
  const reading = useCommand('loans', { query: { limit: 1_000 } });
  return (
    <>
      <Head
        title={
          <>
            Loan <span class="mono">{id}</span>
          </>
        }
      />
      <Read of={reading}>
        {({ loans }) => {
          const loan = loans.find(({ loanId }) => loanId === id);
          if (loan === undefined) return <Empty>No loan has this id.</Empty>;
          const {
            wallet,
            status,
            amount,
            outstanding,
            apr,
            purpose,
            durationDays,
            createdAt,
            dueDate,
            reason,
            record,
          } = loan;
          return (
            <>
              <LoanActions loan={loan} />
              <Panel title="Terms">
                <div class="panel-body">
                  <Facts
                    rows={[
                      ['Agent', <Id id={wallet} to="agents" canCopy />],
                      ['Status', <Status of={status} />],
                      ['Amount', <Amount value={amount} token="USDC" />],
                      ['Owed', <Amount value={outstanding} token="USDC" />],
                      ['APR when granted', percentText(apr)],
                      ['For', `${durationDays} days, ${purpose}`],
                      ['Applied', <When at={createdAt} />],
                      ['Due', dueDate === null ? '–' : <When at={dueDate} />],
                      ['Reason', reason ?? '–'],
                      ['Record', record ?? '–'],
                    ]}
                  />
                </div>
              </Panel>
              <Panel title="Score of the agent now">
                <div class="panel-body">
                  <Evidence wallet={wallet} />
                </div>
              </Panel>
            </>
          );
        }}
      </Read>
    </>
  );
}

function LoanList({ query }: { readonly query: Route['query'] }) {
  const { status = '' } = query;
  const reading = useCommand('loans', {
    query: { limit: SHOWN, ...(status === '' ? {} : { status: status as LoanStatus }) },
  });
  return (
    <>
      <Head title="Loans">
        <Policy />
      </Head>
      <Applications />
      <Panel
        title="Loans"
        note={reading.data === null ? undefined : countText(reading.data.total)}
        actions={<Filter status={status} />}
      >
        <Read of={reading}>{({ loans }) => <LoanTable rows={loans} />}</Read>
      </Panel>
    </>
  );
}

export function Loans({ route: { id, query } }: { readonly route: Route }) {
  return id === null ? <LoanList query={query} /> : <LoanPage id={id} />;
}
