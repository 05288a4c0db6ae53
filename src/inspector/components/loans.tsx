import type { Answer } from '../control/client.js';
import { amountText, percentText, usdText } from '../text/format.js';
import { CommandDialog, filledIn } from './command.js';
import { Check, type FormValues, Input } from './form.js';
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

/** The decisions that take nothing but a reason: the button, the title of the dialog, the outcome. */
const DECISIONS = {
  approve: ['Approve', 'Approve the application', 'Approved.'],
  deny: ['Deny', 'Deny the application', 'Denied.'],
  overdueLoan: ['Make overdue', 'Make overdue', 'The loan is overdue.'],
  defaultLoan: ['Default', 'Let the loan default', 'The loan has defaulted.'],
} as const;

function Decision({ id, of }: { readonly id: string; readonly of: keyof typeof DECISIONS }) {
  const [name, title, done] = DECISIONS[of];
  const ask = (values: FormValues) => ({ id, body: filledIn(values, ['reason']) });
  return (
    <CommandDialog {...{ name, title, ask, done }} command={of} class={of === 'approve' ? 'primary' : ''}>
      {REASON}
    </CommandDialog>
  );
}

export function ReviewActions({ loanId: id }: { readonly loanId: string }) {
  return (
    <div class="actions">
      <Decision id={id} of="approve" />
      <Decision id={id} of="deny" />
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
];

/** The loans of one agent, or of all: pending applications of all agents are decided above the list. */
export function LoanTable({
  rows,
  ofAll = true,
}: {
  readonly rows: readonly LoanRow[];
  readonly ofAll?: boolean;
}) {
  const actions = (loan: LoanRow) =>
    ofAll && loan.status === 'pending_review' ? null : <LoanActions loan={loan} />;
  return (
    <Table
      label="Loans"
      columns={[...COLUMNS.filter(([name]) => ofAll || name !== 'Agent'), ['Actions', actions]]}
      rows={rows}
      keyOf={({ loanId }) => loanId}
      empty="No loans and no applications."
    />
  );
}
