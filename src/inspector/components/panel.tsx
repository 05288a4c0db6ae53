import type { ComponentChildren } from 'preact';
import type { CommandId } from '../../api/control/commands.js';
import type { Answer, Ask } from '../control/client.js';
import { useCommand, type Reading } from '../use-command.js';

export interface PanelProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, note, actions, class: name = '', children }: PanelProps) {
  return (
    <section class={`panel ${name}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note === undefined ? null : <span>{note}</span>}
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface ReadPanelProps<I extends CommandId> extends Omit<PanelProps, 'children' | 'note'> {
  readonly command: I;
  readonly ask?: Ask<I>;
  readonly note?: ComponentChildren | ((answer: Answer<I>) => ComponentChildren);
  readonly children: (answer: Answer<I>) => ComponentChildren;
}

export function ReadPanel<I extends CommandId>(props: ReadPanelProps<I>) {
  const { command, ask, note, children, ...panel } = props;
  const reading = useCommand(command, ask);
  const shown = typeof note !== 'function' ? note : reading.data === null ? undefined : note(reading.data);
  return (
    <Panel {...panel} note={shown}>
      <Read of={reading}>{children}</Read>
    </Panel>
  );
}

interface HeadProps {
  readonly title: string;
  readonly id?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The head of a view: its title, and actions on the whole view. */
export function Head({ title, id, children }: HeadProps) {
  return (
    <header class="apart">
      <h1>
        {title} {id === undefined ? null : <span class="mono">{id}</span>}
      </h1>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </header>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="quiet">{children}</p>;
}

export function Problem({ text }: { readonly text: string }) {
  return (
    <p class="banner bad" role="alert">
      {text}
    </p>
  );
}

export function Loading() {
  return (
    <p class="quiet loading" role="status">
      Loading…
    </p>
  );
}

/** The response of a command, a loading state, or an error. */
export function Read<T>({
  of: { data, error },
  children,
}: {
  readonly of: Reading<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  if (data !== null) return <>{children(data)}</>;
  if (error === null) return <Loading />;
  // The banner at the top says that the simulator does not respond.
  return error.status === 0 ? <Empty>Not read.</Empty> : <Problem text={error.message} />;
}
