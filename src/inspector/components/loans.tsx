import type { Answer } from '../control/client.js';
import { amountText, percentText, usdText } from '../text/format.js';
import { CommandDialog, filledIn } from './command.js';
import { Check, Input } from './form.js';
import { Id, Status, When } from './ids.js';
import { Table, type Column } from './table.js';

export type LoanRow = Answer<'loans'>['loans'][number];

/** An agent's credit history: the last rows of its score. */
export function creditHistory(evidence: Answer<'customer'>['score']['evidence']) {
  const { holdings, tenureDays, repaidOnTime, late, defaulted } = evidence;
  return [
    ['Holdings', `${usdText(holdings)}, customer for ${tenureDays} days`],
    ['Repayments', `${repaidOnTime} on time, ${late} late, ${defaulted} defaulted`],
  ] as const;
}

const REASON = <Input label="Reason" name="reason" placeholder="kept on record" />;

type Way = 'approve' | 'deny' | 'overdueLoan' | 'defaultLoan';

function Decision({
  id,
  ...way
}: {
  readonly id: string;
  readonly command: Way;
  readonly name: string;
  readonly title?: string;
  readonly done: string;
  readonly class?: string;
}) {
  return (
    <CommandDialog {...way} ask={(values) => ({ id, body: filledIn(values, ['reason']) })}>
      {REASON}
    </CommandDialog>
  );
}

export function ReviewActions({ loanId: id }: { readonly loanId: string }) {
  return (
    <div class="actions">
      <Decision
        id={id}
        command="approve"
        name="Approve"
        title="Approve the application"
        class="primary"
        done="Approved."
      />
      <Decision id={id} command="deny" name="Deny" title="Deny the application" done="Denied." />
    </div>
  );
}

function Cure({ id }: { readonly id: string }) {
  return (
    <CommandDialog
      command="cureLoan"
      name="Cure"
      title="Reactivate the loan"
      ask={(values) => ({
        id,
        body: { ...filledIn(values, ['dueIn', 'reason']), forgive: values['forgive'] === 'on' },
      })}
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
    </CommandDialog>
  );
}

export function LoanActions({ loan: { loanId: id, status, outstanding } }: { readonly loan: LoanRow }) {
  if (status === 'pending_review') return <ReviewActions loanId={id} />;
  const isOpen = status === 'active' || status === 'overdue' || status === 'defaulted';
  if (!isOpen) return null;
  return (
    <div class="actions">
      <CommandDialog
        command="payLoan"
        name="Pay"
        title="Pay for the borrower"
        ask={({ amount }) => ({ id, body: { amount: Number(amount) } })}
        done="Paid."
      >
        <p class="quiet">
          The faucet sends USDC to the treasury, which is credited as the borrower's payment.
        </p>
        <Input label="Amount USDC" name="amount" type="number" value={String(outstanding)} isRequired />
      </CommandDialog>
      {status === 'active' ? (
        <Decision id={id} command="overdueLoan" name="Make overdue" done="The loan is overdue." />
      ) : (
        <Cure id={id} />
      )}
      {status === 'defaulted' ? null : (
        <Decision
          id={id}
          command="defaultLoan"
          name="Default"
          title="Let the loan default"
          done="The loan has defaulted."
        />
      )}
    </div>
  );
}

const COLUMNS: readonly Column<LoanRow>[] = [
  { name: 'Loan', cell: ({ loanId }) => <Id id={loanId} to="loans" /> },
  { name: 'Agent', cell: ({ wallet }) => <Id id={wallet} to="agents" /> },
  { name: 'Status', cell: ({ status }) => <Status of={status} /> },
  { name: 'Amount USDC', isNumber: true, cell: ({ amount }) => amountText(amount, 'USDC') },
  { name: 'Owed USDC', isNumber: true, cell: ({ outstanding }) => amountText(outstanding, 'USDC') },
  { name: 'APR when granted', isNumber: true, cell: ({ apr }) => percentText(apr) },
  { name: 'Due', cell: ({ dueDate }) => <When at={dueDate} /> },
  { name: 'Reason', cell: ({ reason }) => <span class="quiet">{reason ?? ''}</span> },
  { name: 'Actions', cell: (loan) => <LoanActions loan={loan} /> },
];

/** Columns of the loans of all agents. Pending applications are decided above the list. */
const OF_ALL: readonly Column<LoanRow>[] = COLUMNS.map((column) =>
  column.name === 'Actions'
    ? { ...column, cell: (loan) => (loan.status === 'pending_review' ? null : <LoanActions loan={loan} />) }
    : column,
);

export function LoanTable({
  rows,
  hasAgent = true,
}: {
  readonly rows: readonly LoanRow[];
  readonly hasAgent?: boolean;
}) {
  return (
    <Table
      label="Loans"
      columns={hasAgent ? OF_ALL : COLUMNS.filter(({ name }) => name !== 'Agent')}
      rows={rows}
      keyOf={({ loanId }) => loanId}
      empty="No loans and no applications."
    />
  );
}
