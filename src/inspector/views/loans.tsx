import { Facts } from '../components/facts.js';
import { CommandDialog } from '../components/command.js';
import { StatusFilter } from '../components/filters.js';
import { Input } from '../components/form.js';
import { Amount, Id, Status, When } from '../components/ids.js';
import { LoanActions, LoanTable, type LoanRow, ReviewActions, creditHistory } from '../components/loans.js';
import { Head, Panel, ReadPanel } from '../components/panel.js';
import { Empty, Read } from '../components/states.js';
import { countText, percentText, usdText, wordsText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

function Evidence({ wallet }: { readonly wallet: string }) {
  const reading = useCommand('customer', { id: wallet });
  return (
    <Read of={reading}>
      {({ score: { score, decision, creditLimit, apr, evidence } }) => (
        <Facts
          rows={[
            ['Score', `${score}, ${wordsText(decision)}`],
            ['Credit limit', `${usdText(creditLimit)} at ${percentText(apr)}`],
            ...creditHistory(evidence),
          ]}
        />
      )}
    </Read>
  );
}

function Applications() {
  return (
    <ReadPanel title="Applications" command="reviews">
      {({ reviews }) =>
        reviews.length === 0 ? (
          <Empty>No application is waiting for a decision.</Empty>
        ) : (
          <ul class="stack">
            {reviews.map(({ loanId, wallet, amount, purpose, durationDays, createdAt }) => (
              <li key={loanId} class="columns">
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
    </ReadPanel>
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

const STATUSES = ['pending_review', 'active', 'overdue', 'defaulted', 'repaid', 'denied'];

/** The most loans shown, newest first; a filter finds others. */
const SHOWN = 200;

function LoanPage({ id }: { readonly id: string }) {
  const reading = useCommand('loans', { query: { limit: 1_000 } });
  return (
    <>
      <Head title="Loan" id={id} />
      <Read of={reading}>
        {({ loans }) => {
          const loan = loans.find(({ loanId }) => loanId === id);
          if (loan === undefined) return <Empty>No loan has this id.</Empty>;
          const { wallet, status, amount, outstanding, apr, purpose, durationDays } = loan;
          return (
            <>
              <LoanActions loan={loan} />
              <Panel title="Terms">
                <Facts
                  rows={[
                    ['Agent', <Id id={wallet} to="agents" canCopy />],
                    ['Status', <Status of={status} />],
                    ['Amount', <Amount value={amount} token="USDC" />],
                    ['Owed', <Amount value={outstanding} token="USDC" />],
                    ['APR', percentText(apr)],
                    ['For', `${durationDays} days, ${purpose}`],
                    ['Applied', <When at={loan.createdAt} />],
                    ['Due', <When at={loan.dueDate} />],
                    ['Reason', loan.reason ?? '–'],
                    ['Record', loan.record ?? '–'],
                  ]}
                />
              </Panel>
              <Panel title="Score of the agent now">
                <Evidence wallet={wallet} />
              </Panel>
            </>
          );
        }}
      </Read>
    </>
  );
}

function LoanList({ query }: { readonly query: Route['query'] }) {
  return (
    <>
      <Head title="Loans">
        <Policy />
      </Head>
      <Applications />
      <ReadPanel
        title="Loans"
        command="loans"
        ask={{ query: { limit: SHOWN, status: query['status'] as LoanRow['status'] | undefined } }}
        note={({ total }) => countText(total)}
        actions={<StatusFilter label="Status" options={STATUSES} />}
      >
        {({ loans }) => <LoanTable rows={loans} />}
      </ReadPanel>
    </>
  );
}

export function Loans({ route: { id, query } }: { readonly route: Route }) {
  return id === null ? <LoanList query={query} /> : <LoanPage id={id} />;
}
