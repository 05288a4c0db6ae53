import type { Answer } from '../control/client.js';
import { useSession } from '../session.js';
import { amountText, percentText } from '../text/format.js';
import { Check, DialogButton, Input } from './form.js';
import { Id, Status, When } from './ids.js';
import { Table, type Column } from './table.js';

export type LoanRow = Answer<'loans'>['loans'][number];

const REASON = <Input label="Reason" name="reason" placeholder="kept on the books" />;

/** The reason of a form, unless it is empty. */
function reasonOf({ reason = '' }: Readonly<Record<string, string>>): { reason?: string } {
  return reason === '' ? {} : { reason };
}

export function ReviewActions({ loanId }: { readonly loanId: string }) {
  const session = useSession();
  const { control } = session;
  return (
    <div class="actions nowrap-actions">
      <DialogButton
        name="Approve"
        title="Approve the application"
        class="primary"
        onSubmit={(values) =>
          void session.act(() => control.do('approve', { id: loanId, body: reasonOf(values) }), 'Approved.')
        }
      >
        {REASON}
      </DialogButton>
      <DialogButton
        name="Deny"
        title="Deny the application"
        onSubmit={(values) =>
          void session.act(() => control.do('deny', { id: loanId, body: reasonOf(values) }), 'Denied.')
        }
      >
        {REASON}
      </DialogButton>
    </div>
  );
}

function Due({ loanId }: { readonly loanId: string }) {
  const session = useSession();
  const { control } = session;
  return (
    <DialogButton
      name="Cure"
      title="Reactivate the loan"
      onSubmit={(values) => {
        const { dueIn = '' } = values;
        const body = {
          ...(dueIn === '' ? {} : { dueIn }),
          forgive: values['forgive'] === 'on',
          ...reasonOf(values),
        };
        void session.act(() => control.do('cureLoan', { id: loanId, body }), 'The loan is active again.');
      }}
    >
      <Input
        label="Due in"
        name="dueIn"
        placeholder="30d"
        hint="Left out: the duration of the loan, from now"
      />
      <Check label="Remove the miss from the agent's record" name="forgive" />
      {REASON}
    </DialogButton>
  );
}

/** What can be done with a loan in its state. */
export function LoanActions({ loan: { loanId, status, outstanding } }: { readonly loan: LoanRow }) {
  const session = useSession();
  const { control } = session;
  if (status === 'pending_review') return <ReviewActions loanId={loanId} />;
  const isOpen = status === 'active' || status === 'overdue' || status === 'defaulted';
  if (!isOpen) return null;
  return (
    <div class="actions nowrap-actions">
      <DialogButton
        name="Pay"
        title="Pay for the borrower"
        onSubmit={({ amount }) =>
          void session.act(
            () => control.do('payLoan', { id: loanId, body: { amount: Number(amount) } }),
            'Paid.',
          )
        }
      >
        <p class="quiet">USDC from the faucet goes to the treasury, credited as the borrower's payment.</p>
        <Input label="Amount USDC" name="amount" type="number" value={String(outstanding)} isRequired />
      </DialogButton>
      {status === 'active' ? (
        <DialogButton
          name="Make overdue"
          onSubmit={(values) =>
            void session.act(
              () => control.do('overdueLoan', { id: loanId, body: reasonOf(values) }),
              'The loan is overdue.',
            )
          }
        >
          {REASON}
        </DialogButton>
      ) : null}
      {status === 'defaulted' ? null : (
        <DialogButton
          name="Default"
          title="Let the loan default"
          onSubmit={(values) =>
            void session.act(
              () => control.do('defaultLoan', { id: loanId, body: reasonOf(values) }),
              'The loan has defaulted.',
            )
          }
        >
          {REASON}
        </DialogButton>
      )}
      {status === 'active' ? null : <Due loanId={loanId} />}
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
  { name: 'Due', cell: ({ dueDate }) => (dueDate === null ? '–' : <When at={dueDate} />) },
  { name: 'Reason', cell: ({ reason }) => <span class="quiet">{reason ?? ''}</span> },
  { name: 'Actions', cell: (loan) => <LoanActions loan={loan} /> },
];

/** Loans and what can be done with them. */
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
      columns={hasAgent ? COLUMNS : COLUMNS.filter(({ name }) => name !== 'Agent')}
      rows={rows}
      keyOf={({ loanId }) => loanId}
      empty="No loans and no applications."
    />
  );
}
