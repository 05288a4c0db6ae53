import { Facts, Amount, Id, Status, When } from '../components/values.js';
import { CommandButton, Input, Check, Chips } from '../components/controls.js';
import { Head, Panel, ReadPanel, Empty, Read } from '../components/panel.js';
import { countText, percentText, usdText, wordsText, amountText } from '../text/format.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';
import type { Answer } from '../control/client.js';
import { Table, type Column } from '../components/table.js';

type LoanRow = Answer<'loans'>['loans'][number];

/** An agent's credit history: the last rows of its score. */
export function creditHistory(evidence: Answer<'customer'>['score']['evidence']) {
  const { holdings, tenureDays, repaidOnTime, late, defaulted } = evidence;
  return [
    ['Holdings', `${usdText(holdings)}, customer for ${tenureDays} days`],
    ['Repayments', `${repaidOnTime} on time, ${late} late, ${defaulted} defaulted`],
  ] as const;
}

const REASON = <Input label="Reason" name="reason" placeholder="kept on record" />;

/** The decisions that take nothing but a reason: the button, the title of the dialog, the outcome. */
const DECISIONS = {
  approve: ['Approve', 'Approve the application', 'Approved.'],
  deny: ['Deny', 'Deny the application', 'Denied.'],
  overdueLoan: ['Make overdue', 'Make overdue', 'The loan is overdue.'],
  defaultLoan: ['Default', 'Let the loan default', 'The loan has defaulted.'],
} as const;

function Decision({ id, of }: { readonly id: string; readonly of: keyof typeof DECISIONS }) {
  const [name, title, done] = DECISIONS[of];
  const kind = of === 'approve' ? 'primary' : '';
  return (
    <CommandButton {...{ name, title, done }} command={of} ask={{ id }} class={kind}>
      {REASON}
    </CommandButton>
  );
}

function ReviewActions({ loanId: id }: { readonly loanId: string }) {
  return (
    <div class="actions">
      <Decision id={id} of="approve" />
      <Decision id={id} of="deny" />
    </div>
  );
}

function Cure({ id }: { readonly id: string }) {
  return (
    <CommandButton
      command="cureLoan"
      name="Cure"
      title="Reactivate the loan"
      ask={{ id }}
      done="The loan is active again."
    >
      <Input
        label="Due in"
        name="dueIn"
        placeholder="30d"
        hint="Default: the duration of the loan, from now"
      />
      <Check label="Remove the missed payment from the agent's record" name="forgive" />
      {REASON}
    </CommandButton>
  );
}

function LoanActions({ loan: { loanId: id, status, outstanding } }: { readonly loan: LoanRow }) {
  if (status === 'pending_review') return <ReviewActions loanId={id} />;
  const isOpen = status === 'active' || status === 'overdue' || status === 'defaulted';
  if (!isOpen) return null;
  return (
    <div class="actions">
      <CommandButton command="payLoan" name="Pay" title="Pay for the borrower" ask={{ id }} done="Paid.">
        <p class="quiet">
          The faucet sends USDC to the treasury, which is credited as the borrower's payment.
        </p>
        <Input label="Amount USDC" name="amount" type="number" value={String(outstanding)} isRequired />
      </CommandButton>
      {status === 'active' ? <Decision id={id} of="overdueLoan" /> : <Cure id={id} />}
      {status === 'defaulted' ? null : <Decision id={id} of="defaultLoan" />}
    </div>
  );
}

const COLUMNS: readonly Column<LoanRow>[] = [
  ['Loan', ({ loanId }) => <Id id={loanId} to="loans" />],
  ['Agent', ({ wallet }) => <Id id={wallet} to="agents" />],
  ['Status', ({ status }) => <Status of={status} />],
  ['Amount USDC', ({ amount }) => amountText(amount, 'USDC'), 'number'],
  ['Owed USDC', ({ outstanding }) => amountText(outstanding, 'USDC'), 'number'],
  ['APR', ({ apr }) => percentText(apr), 'number'],
  ['Due', ({ dueDate }) => <When at={dueDate} />],
  ['Reason', ({ reason }) => <span class="quiet">{reason ?? ''}</span>],
  ['Actions', (loan) => <LoanActions loan={loan} />],
];

export function LoanTable({ rows }: { readonly rows: readonly LoanRow[] }) {
  const empty = 'No loans and no applications.';
  return <Table label="Loans" columns={COLUMNS} rows={rows} keyOf={({ loanId }) => loanId} empty={empty} />;
}

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
      <CommandButton
        name="Set policy"
        title="Review policy"
        command="setReviewPolicy"
        done="The policy is set."
      >
        <Input label="Policy" name="policy" value={policy} hint="manual, auto or delay:2h" isRequired />
      </CommandButton>
    </>
  );
}

const STATUSES = ['pending_review', 'active', 'overdue', 'defaulted', 'repaid', 'denied'];

/** The most loans shown, newest first; a filter finds others. */
const SHOWN = 200;

export function LoanPage({ id }: { readonly id: string }) {
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

export function Loans({ query }: { readonly query: Route['query'] }) {
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
        actions={<Chips name="status" label="Status" options={STATUSES} />}
      >
        {({ loans }) => <LoanTable rows={loans} />}
      </ReadPanel>
    </>
  );
}
