import { Button, CommandButton } from '../components/controls.js';
import { send, signIn } from '../control/agent.js';
import { Refused } from '../control/client.js';
import { session } from '../session.js';
import { type SentRequest, curlText, noStepText, programText, stepText } from '../text/copies.js';
import { mountOf } from '../text/routes.js';

/** The origin of a request, or the URL of the RPC. Rejects with Refused when it is not served. */
async function originOf({ interface: of }: SentRequest): Promise<string> {
  if (of !== 'rpc') return location.origin;
  const { url } = await session.control.do('rpcUrl');
  if (url === null) throw new Refused('The RPC is not served.');
  return url;
}

async function tokenOf({ interface: of, wallet }: SentRequest): Promise<string | null> {
  const { control } = session;
  if (of === 'control') return control.token === null ? null : '$CONTROL_TOKEN';
  if (of === 'rpc' || wallet === null) return null;
  // With the key of the wallet the copy can be run as it is.
  return signIn(control, wallet).catch(() => '$TOKEN');
}

export function CopyActions({ request }: { readonly request: SentRequest }) {
  const copy = (name: string, textOf: (origin: string) => string | null | Promise<string>) =>
    session.act(async () => {
      const made = await textOf(await originOf(request));
      if (made === null) throw new Refused('The log does not have enough of this request to copy it.');
      await navigator.clipboard.writeText(made);
    }, `Copied as ${name}.`);
  const curlOf = async (origin: string) => curlText(request, { origin, token: await tokenOf(request) });
  const noStep = noStepText(request);
  return (
    <>
      <Button name="Copy as curl" onClick={() => copy('curl', curlOf)} />
      <Button
        name="Copy as scenario step"
        isDisabled={noStep !== null}
        onClick={() => copy('a scenario step', () => stepText(request))}
      />
      <Button
        name="Copy as TypeScript"
        onClick={() => copy('TypeScript', (origin) => programText(request, origin))}
      />
      {noStep === null ? null : <span class="quiet">{noStep}</span>}
    </>
  );
}

/** Opens a fork in a new tab. The tab is opened at once, since a browser allows it only right after a click. */
export async function openFork(
  body: { readonly before?: string; readonly snapshot?: string },
  path = '',
): Promise<void> {
  const tab = window.open('', '_blank');
  const made = await session.run('fork', { body }, ({ id }) => `${id} is open in a new tab.`);
  if (made === undefined) tab?.close();
  else if (tab === null) location.assign(`/w/${made.id}/inspector/${path}`);
  else tab.location.replace(`/w/${made.id}/inspector/${path}`);
}

export function TimeTravel({ requestId, isCall }: { readonly requestId: string; readonly isCall: boolean }) {
  // The fork shows the call that it was made before, to be sent there.
  const path = isCall ? `requests/${encodeURIComponent(requestId)}?of=parent` : '';
  return (
    <>
      <Button name="Fork before this" class="primary" onClick={() => openFork({ before: requestId }, path)} />
      <CommandButton
        name="Revert to before this"
        title="Revert the world?"
        submit="Revert"
        command="revertBefore"
        ask={{ id: requestId }}
        done={({ now }) => `The world is restored to before ${requestId}: ${now}.`}
      >
        <p>
          This restores books, chain, clock and rates to before <b class="mono">{requestId}</b>. You can undo
          the revert, since it is a request as well.
        </p>
      </CommandButton>
    </>
  );
}

export function SendAgain({ request, name }: { readonly request: SentRequest; readonly name: string }) {
  const { wallet, method, input } = request;
  const path = request.path.slice(mountOf(request.path).length);
  const sendAgain = async () => {
    const answer = await session.act(
      async () => {
        const token = wallet === null ? null : await signIn(session.control, wallet);
        return send(session.control, { method, path, input, token });
      },
      ({ status, body }) => {
        const { code } = body as { code?: string };
        return code === undefined ? `It succeeded (${status}).` : `It was refused: ${code} (${status}).`;
      },
    );
    if (answer?.requestId != null) session.go({ view: 'requests', id: answer.requestId, query: {} });
  };
  return <Button name={name} onClick={sendAgain} />;
}
