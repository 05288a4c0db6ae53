import { CommandDialog } from '../components/command.js';
import { Refused } from '../control/client.js';
import { ROUTES } from '../../api/control/names.js';
import { useSession, type Session } from '../session.js';
import {
  type SentRequest,
  curlText,
  noStepText,
  programText,
  rpcCurlText,
  rpcProgramText,
  stepText,
} from '../text/copies.js';

const UNKNOWN = 'The log has not enough of this request to copy it.';

function templateOf({ interface: of, operation }: SentRequest): string | undefined {
  return of === 'control'
    ? (ROUTES as Record<string, { path: string } | undefined>)[operation ?? '']?.path
    : undefined;
}

/** The address of the RPC. Rejects with Refused when none is served. */
async function rpcUrlOf({ control }: Session): Promise<string> {
  const { url } = await control.do('rpcUrl');
  if (url === null) throw new Refused('No RPC is served.', 'no_rpc', 0);
  return url;
}

async function curlOf(session: Session, request: SentRequest): Promise<string> {
  const origin = location.origin;
  if (request.interface === 'rpc') return rpcCurlText(request, await rpcUrlOf(session));
  if (request.interface === 'control')
    return curlText(request, { origin, token: session.control.token === null ? null : '$CONTROL_TOKEN' });
  if (request.wallet === null) return curlText(request, { origin, token: null });
  // With the key of the wallet the copy can be run as it is.
  const token = await session.agents.signIn(request.wallet).catch(() => '$TOKEN');
  return curlText(request, { origin, token });
}

async function programOf(session: Session, request: SentRequest): Promise<string | null> {
  if (request.interface === 'rpc') return rpcProgramText(request, await rpcUrlOf(session));
  return programText(request, { origin: location.origin, template: templateOf(request) });
}

/** Copies a request in a form that can be run. */
export function CopyActions({ request }: { readonly request: SentRequest }) {
  const session = useSession();
  const copy = (name: string, text: string | null | Promise<string | null>) =>
    session.act(async () => {
      const made = await text;
      if (made === null) throw new Refused(UNKNOWN, 'unknown', 0);
      await navigator.clipboard.writeText(made);
    }, `Copied as ${name}.`);
  const noStep = noStepText(request);
  return (
    <>
      <button type="button" onClick={() => void copy('curl', curlOf(session, request))}>
        Copy as curl
      </button>
      <button
        type="button"
        disabled={noStep !== null}
        onClick={() => void copy('a scenario step', stepText(request, templateOf(request)))}
      >
        Copy as scenario step
      </button>
      <button type="button" onClick={() => void copy('TypeScript', programOf(session, request))}>
        Copy as TypeScript
      </button>
      {noStep === null ? null : <span class="quiet">{noStep}</span>}
    </>
  );
}

/** Opens a fork in a tab of its own. The tab is opened at once, since a browser lets a page do so only right after a click. */
export async function openFork(
  session: Session,
  body: { readonly before?: string; readonly snapshot?: string },
  path = '',
): Promise<void> {
  const tab = window.open('', '_blank');
  const made = await session.act(
    () => session.control.do('fork', { body }),
    ({ id }) => `${id} is open in a tab of its own.`,
  );
  if (made === undefined) tab?.close();
  else if (tab === null) location.assign(`/w/${made.id}/inspector/${path}`);
  else tab.location.replace(`/w/${made.id}/inspector/${path}`);
}

/** Goes back to before a request, here or in a fork. */
export function TimeTravel({ requestId, isCall }: { readonly requestId: string; readonly isCall: boolean }) {
  const session = useSession();
  // The fork shows the call that it was made before, to be sent there.
  const path = isCall ? `requests/${encodeURIComponent(requestId)}?of=parent` : '';
  return (
    <>
      <button
        type="button"
        class="primary"
        onClick={() => void openFork(session, { before: requestId }, path)}
      >
        Fork before this
      </button>
      <CommandDialog
        name="Revert to before this"
        title="Revert the world?"
        submit="Revert"
        command="revertBefore"
        ask={{ id: requestId }}
        done={({ now }) => `The world is what it was before ${requestId}: ${now}.`}
      >
        <p>
          Books, chain, clock and rates become what they were before <b class="mono">{requestId}</b>. The
          revert itself can be reverted: it is a request as well.
        </p>
      </CommandDialog>
    </>
  );
}

/** Sends a call once more, as the same agent, in the world that is shown. */
export function SendAgain({ request, name }: { readonly request: SentRequest; readonly name: string }) {
  const session = useSession();
  const { wallet, method, input } = request;
  const path = request.path.replace(/^\/w\/[^/]+/, '');
  const send = async () => {
    const answer = await session.act(
      async () => {
        const token = wallet === null ? null : await session.agents.signIn(wallet);
        return session.agents.send({ method, path, input, token });
      },
      ({ status, body }) => {
        const { code } = body as { code?: string };
        return code === undefined ? `It succeeded (${status}).` : `It was refused: ${code} (${status}).`;
      },
    );
    if (answer?.requestId != null) session.go({ view: 'requests', id: answer.requestId, query: {} });
  };
  return (
    <button type="button" onClick={() => void send()}>
      {name}
    </button>
  );
}
