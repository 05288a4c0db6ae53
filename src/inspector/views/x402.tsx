import { useState } from 'preact/hooks';
import { Button } from '../components/button.js';
import { Facts, textOf } from '../components/facts.js';
import { Form } from '../components/form.js';
import { Amount, Id, Json, Line, Outcome, Status, When } from '../components/ids.js';
import { Link } from '../components/link.js';
import { Head, Panel, ReadPanel } from '../components/panel.js';
import { Read } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import type { Answer } from '../control/client.js';
import type { EventRow } from '../control/events.js';
import { useSession } from '../session.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';

type Entry = Answer<'journalEntries'>['entries'][number];
type Check = Answer<'verifyPayment'>['checks'][number];

/** The facts of an entry: the terms of a payment, or the transaction of a received one. */
interface EntryFacts {
  readonly terms: {
    readonly type: string;
    readonly recipient: string;
    readonly serviceUrl: string | null;
    readonly memo: string | null;
  };
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

function Payments() {
  return (
    <ReadPanel
      title="Payments"
      note="the newest"
      command="journalEntries"
      ask={{ query: { kind: 'outflow.pending', limit: 200 } }}
    >
      {({ entries }) => (
        <Table
          label="Payments"
          columns={PAYMENTS}
          rows={entries.filter((entry) => termsOf(entry).type === 'x402')}
          empty="No payments by x402 yet."
        />
      )}
    </ReadPanel>
  );
}

const RECEIVED: readonly Column<Entry>[] = [
  ...ENTRY,
  ['Agent', ({ wallet }) => <Id id={wallet} to="agents" />],
  ['From', (entry) => <Id id={factsOf(entry).sender} to="accounts" />],
  ['Amount', (entry) => <Money of={entry} />, 'number'],
  ['Transaction', (entry) => <Id id={factsOf(entry).signature} to="transactions" />],
];

function Received() {
  const query = { kind: 'x402.received', limit: 100 } as const;
  const empty = 'No agent has credited a payment yet.';
  return (
    <ReadPanel title="Received by agents" command="journalEntries" ask={{ query }}>
      {({ entries }) => <Table label="Received" columns={RECEIVED} rows={entries} empty={empty} />}
    </ReadPanel>
  );
}

const MOST_REQUESTS = 50;

const REQUESTS: readonly Column<EventRow>[] = [
  ['Request', ({ requestId }) => requestId !== null && <Link to="requests" id={requestId} />],
  ['Time', ({ at }) => <When at={at} />],
  ['Agent', ({ wallet }) => <Id id={wallet} to="agents" />],
  ['Asks for', ({ text }) => <Line text={text} class="clip" />],
  ['Outcome', ({ status, code }) => <Outcome status={status} code={code} />],
];

function Requests() {
  const { feed } = useSession();
  const rows = feed.version.value < 0 ? [] : feed.rows;
  const requests = rows.filter(({ name }) => name === 'x402Request').slice(-MOST_REQUESTS);
  return (
    <Panel title="Payment requests" note="from loaded events">
      <Table
        label="Payment requests"
        columns={REQUESTS}
        rows={requests.toReversed()}
        empty="No agent has asked for a payment."
      />
    </Panel>
  );
}

const VERDICTS = { passed: 'good', failed: 'bad', open: '' } as const;

/** The result of a check: field, expected value and actual value. */
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

function Receipt({ entry }: { readonly entry: string }) {
  return (
    <ReadPanel
      title={`Receipt of entry ${entry}`}
      note={<Link to="x402" text="Close" />}
      command="receipt"
      ask={{ id: entry }}
    >
      {({ header }) => <Verified header={header} />}
    </ReadPanel>
  );
}

function Verify() {
  const [header, setHeader] = useState('');
  return (
    <Panel title="Verify a header">
      <Form label="Verify" onSubmit={({ header: given = '' }) => setHeader(given)}>
        <div class="field">
          <label for="header">X-Payment-Receipt, X-Payment-Request, PAYMENT-SIGNATURE or X-PAYMENT</label>
          <textarea
            id="header"
            name="header"
            rows={4}
            required
            placeholder="its value, or its decoded JSON"
          />
        </div>
        <div class="actions">
          <Button name="Verify" class="primary" />
        </div>
      </Form>
      {header === '' ? null : <Verified header={header} />}
    </Panel>
  );
}

export function X402({ route: { id } }: { readonly route: Route }) {
  return (
    <>
      <Head title="x402" />
      {id === null ? null : <Receipt entry={id} />}
      <Verify />
      <Payments />
      <Received />
      <Requests />
    </>
  );
}
