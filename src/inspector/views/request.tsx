import { EventTable, Postings } from '../components/event-tables.js';
import { Facts, Members, Id, Json, JsonText, Outcome, When, Link } from '../components/values.js';
import { Head, Panel, ReadPanel, Problem, Read } from '../components/panel.js';
import { TransactionView } from './chain.js';
import type { Answer } from '../control/client.js';
import type { EntryEvent, LoggedEvent, RequestEvent } from '../control/events.js';
import { session } from '../session.js';
import { isWhole } from '../text/copies.js';
import type { Route } from '../text/routes.js';
import { useCommand } from '../use-command.js';
import { CopyActions, SendAgain, TimeTravel } from './request-actions.js';

const isRequest = (event: LoggedEvent): event is RequestEvent => event.kind === 'request';

function Explained({ of: { rule, text, events } }: { readonly of: Answer<'explain'> }) {
  const isRefused = events.find(isRequest)?.code != null;
  return (
    <Panel title="Explanation" note={rule === null ? undefined : <>rule {<b class="mono">{rule}</b>}</>}>
      <div>
        {text.split('\n').map((line, at) => (
          <p key={at} class={at === 1 && isRefused ? 'bad' : ''}>
            {line.replace(/^- /, '• ')}
          </p>
        ))}
      </div>
    </Panel>
  );
}

/** Why a response has no body to show. */
function withoutBody({ status, path, interface: of }: RequestEvent): string {
  if (status === null) return 'The response was lost.';
  return of === 'api' && path.includes('/auth/')
    ? 'Responses to sign-ins are not kept, since they contain tokens.'
    : 'The body is not kept: it is a page or binary, or this simulator was started with --history 0.';
}

function Sent({ request, answer }: { readonly request: RequestEvent; readonly answer: string | null }) {
  const { method, path, wallet, at, input, status, code, faults } = request;
  return (
    <div class="columns">
      <Panel title="Request">
        <div class="stack">
          <Facts
            rows={[
              ['Call', <code>{`${method} ${path}`}</code>],
              ['Wallet', <Id id={wallet} to="agents" canCopy none="not signed in" />],
              ['Time', <When at={at} withMs />],
            ]}
          />
          {input === null ? <p class="quiet">No input, or it is not logged.</p> : <Json value={input} />}
        </div>
      </Panel>
      <Panel title="Response">
        <div class="stack">
          <Outcome status={status} code={code} />
          {answer === null ? <p class="quiet">{withoutBody(request)}</p> : <JsonText text={answer} />}
          {faults.map(({ fault, phase, effect }) => (
            <p key={`${fault}${phase}`}>
              <span class="badge warn">fault</span> <Link to="faults" text={fault} />: {effect} ({phase})
            </p>
          ))}
        </div>
      </Panel>
    </div>
  );
}

function Entry({ event: { entry, facts, postings } }: { readonly event: EntryEvent }) {
  const { kind, ...more } = facts as { readonly kind: string };
  return (
    <Panel title={`Entry ${entry}`} note={<Link to="journal" id={entry} text={kind} />}>
      <Postings rows={postings} />
      {Object.keys(more).length === 0 ? null : (
        <details>
          <summary>Facts</summary>
          <Members of={more} />
        </details>
      )}
    </Panel>
  );
}

function Actions({ request, isOfParent }: { readonly request: RequestEvent; readonly isOfParent: boolean }) {
  const isCall = request.interface === 'api';
  const isKnown = isWhole(request);
  const send = isCall && isKnown;
  if (isOfParent) return send ? <SendAgain request={request} name="Send it here" /> : null;
  return (
    <>
      <TimeTravel requestId={request.requestId ?? ''} isCall={send} />
      {send ? <SendAgain request={request} name="Send again" /> : null}
      {isKnown ? (
        <CopyActions request={request} />
      ) : (
        <span class="quiet">The log does not have enough of this request to copy or repeat it.</span>
      )}
    </>
  );
}

function Whole({ of, isOfParent }: { readonly of: Answer<'explain'>; readonly isOfParent: boolean }) {
  const { events } = of;
  const request = events.find(isRequest);
  const others = events.filter(({ kind }) => !['request', 'entry', 'transaction'].includes(kind));
  return (
    <>
      {request === undefined ? null : (
        <div class="actions">
          <Actions request={request} isOfParent={isOfParent} />
        </div>
      )}
      {isOfParent ? (
        <p class="banner">
          This call was made in the parent. The fork starts before it: change the fork, then send the call
          here.
        </p>
      ) : null}
      <Explained of={of} />
      {request === undefined ? null : <Sent request={request} answer={of.answer ?? null} />}
      {events.map((event) => {
        if (event.kind === 'entry') return <Entry key={event.seq} event={event} />;
        if (event.kind !== 'transaction' || isOfParent) return null;
        const ask = { id: event.signature };
        return (
          <ReadPanel key={event.seq} title="Transaction" command="transaction" ask={ask}>
            {(details) => <TransactionView of={details} />}
          </ReadPanel>
        );
      })}
      {others.length === 0 ? null : (
        <Panel title="Also">
          <EventTable events={others} />
        </Panel>
      )}
    </>
  );
}

export function RequestPage({ id, query }: { readonly id: string; readonly query: Route['query'] }) {
  const parent = session.parent.value;
  const isOfParent = query['of'] === 'parent';
  const reading = useCommand(
    'explain',
    isOfParent && !parent ? null : { id },
    isOfParent ? (parent ?? undefined) : undefined,
  );
  const request = reading.data?.events.find(isRequest);
  if (isOfParent && parent === null)
    return <Problem text="The world that this fork was made from is no longer served." />;
  return (
    <>
      <Head title={request?.operation ?? request?.path ?? 'Request'} id={<span class="quiet">{id}</span>}>
        {request === undefined ? null : <Outcome status={request.status} code={request.code} />}
      </Head>
      <Read of={reading}>{(of) => <Whole of={of} isOfParent={isOfParent} />}</Read>
    </>
  );
}
