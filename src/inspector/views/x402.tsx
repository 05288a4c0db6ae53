import { useState } from 'preact/hooks';
import { Button, Field, Form } from '../components/controls.js';
import { Facts, textOf, Amount, Id, Json, Line, Outcome, Status, When, Link } from '../components/values.js';
import { Head, Panel, ReadPanel, Read } from '../components/panel.js';
import { type Column, Table, TablePanel } from '../components/table.js';
import type { Answer } from '../control/client.js';
import type { EventRow } from '../control/events.js';
import { session } from '../session.js';
import { useCommand } from '../use-command.js';

type Entry = Answer<'journalEntries'>['entries'][number];
type Check = Answer<'verifyPayment'>['checks'][number];

/** The facts of an entry: the terms of a payment, or the transaction of a received one. */
interface EntryFacts {
  readonly terms: Readonly<Record<'type' | 'recipient' | 'serviceUrl' | 'memo', string | null>>;
  readonly sender: string;
  readonly signature: string;
}

const factsOf = ({ facts }: Entry) => facts as EntryFacts;
const termsOf = (entry: Entry) => factsOf(entry).terms;

/** The amount that left checking, or arrived there. */
function Money({ of: { postings } }: { readonly of: Entry }) {
  const posting = postings.find(({ account }) => account === 'checking');
  return <Amount value={Math.abs(posting?.amount ?? 0)} token={posting?.token ?? 'USDC'} />;
}

const ENTRY: readonly Column<Entry>[] = [
  ['Entry', ({ entry }) => <Link to="journal" id={entry} />],
  ['Time', ({ at }) => <When at={at} />],
];

const PAYMENTS: readonly Column<Entry>[] = [
  ...ENTRY,
  ['Payer', ({ wallet }) => <Id id={wallet} to="agents" />],
  ['Recipient', (entry) => <Id id={termsOf(entry).recipient} to="agents" />],
  ['Amount', (entry) => <Money of={entry} />, 'number'],
  ['Status', ({ status }) => <Status of={status} />],
  ['Receipt', ({ entry, status }) => status === 'completed' && <Link to="x402" id={entry} text="Verify" />],
  ['Service', (entry) => <Line text={termsOf(entry).serviceUrl ?? ''} class="clip" />],
  ['Memo', (entry) => <Line text={termsOf(entry).memo ?? ''} class="clip" />],
];

const RECEIVED: readonly Column<Entry>[] = [
  ...ENTRY,
  ['Agent', ({ wallet }) => <Id id={wallet} to="agents" />],
  ['From', (entry) => <Id id={factsOf(entry).sender} to="accounts" />],
  ['Amount', (entry) => <Money of={entry} />, 'number'],
  ['Transaction', (entry) => <Id id={factsOf(entry).signature} to="transactions" />],
];

const MOST_REQUESTS = 50;

const REQUESTS: readonly Column<EventRow>[] = [
  ['Request', ({ requestId }) => requestId !== null && <Link to="requests" id={requestId} />],
  ['Time', ({ at }) => <When at={at} />],
  ['Agent', ({ wallet }) => <Id id={wallet} to="agents" />],
  ['Asks for', ({ text }) => <Line text={text} class="clip" />],
  ['Outcome', ({ status, code }) => <Outcome status={status} code={code} />],
];

function Requests() {
  const { feed } = session;
  const rows = feed.version.value < 0 ? [] : feed.rows;
  const requests = rows.filter(({ name }) => name === 'x402Request').slice(-MOST_REQUESTS);
  return (
    <TablePanel
      title="Payment requests"
      note="from loaded events"
      columns={REQUESTS}
      rows={requests.toReversed()}
      empty="No agent has asked for a payment."
    />
  );
}

const VERDICTS = { passed: 'good', failed: 'bad', open: '' } as const;

function Checked({ of: { verdict, expected, got } }: { readonly of: Check }) {
  return (
    <>
      <span class={`badge ${VERDICTS[verdict]}`}>{verdict}</span>
      {verdict === 'open' ? null : (
        <>
          <span class="quiet">expected</span> <code>{textOf(expected)}</code>
        </>
      )}
      <span class="quiet">got</span> <code>{textOf(got)}</code>
    </>
  );
}

function Verified({ header }: { readonly header: string }) {
  const reading = useCommand('verifyPayment', { query: { header } });
  return (
    <Read of={reading}>
      {({ kind, valid, checks, decoded }) => (
        <div class="stack" role="status" aria-label="Verification">
          <p>
            <span class={`badge ${valid ? 'good' : 'bad'}`}>{valid ? 'valid' : 'not valid'}</span>{' '}
            {kind === 'unknown' ? 'This is not a receipt, a payment request or a payment.' : `A ${kind}.`}
          </p>
          {checks.length === 0 ? <p class="quiet">Nothing could be checked.</p> : null}
          <Facts rows={checks.map((check) => [check.name, <Checked of={check} />])} />
          {decoded === null ? null : (
            <details>
              <summary>Content</summary>
              <Json value={decoded} />
            </details>
          )}
        </div>
      )}
    </Read>
  );
}

function Verify() {
  const [header, setHeader] = useState('');
  return (
    <Panel title="Verify a header">
      <Form label="Verify" onSubmit={(given: { header?: string }) => setHeader(given.header ?? '')}>
        <Field label="X-Payment-Receipt, X-Payment-Request, PAYMENT-SIGNATURE or X-PAYMENT">
          {(id) => (
            <textarea id={id} name="header" rows={4} required placeholder="its value, or its decoded JSON" />
          )}
        </Field>
        <div class="actions">
          <Button name="Verify" class="primary" />
        </div>
      </Form>
      {header === '' ? null : <Verified header={header} />}
    </Panel>
  );
}

const RECEIVED_QUERY = { kind: 'x402.received', limit: 100 } as const;
const PAYMENTS_QUERY = { kind: 'outflow.pending', limit: 200 } as const;

export function X402({ id }: { readonly id: string }) {
  return (
    <>
      <Head title="x402" />
      {id === '' ? null : (
        <ReadPanel
          title={`Receipt of entry ${id}`}
          note={<Link to="x402" text="Close" />}
          command="receipt"
          ask={{ id }}
        >
          {({ header }) => <Verified header={header} />}
        </ReadPanel>
      )}
      <Verify />
      <ReadPanel title="Payments" note="the newest" command="journalEntries" ask={{ query: PAYMENTS_QUERY }}>
        {({ entries }) => (
          <Table
            label="Payments"
            columns={PAYMENTS}
            rows={entries.filter((entry) => termsOf(entry).type === 'x402')}
            empty="No payments by x402 yet."
          />
        )}
      </ReadPanel>
      <ReadPanel title="Received by agents" command="journalEntries" ask={{ query: RECEIVED_QUERY }}>
        {({ entries }) => (
          <Table
            label="Received"
            columns={RECEIVED}
            rows={entries}
            empty="No agent has credited a payment yet."
          />
        )}
      </ReadPanel>
      <Requests />
    </>
  );
}
