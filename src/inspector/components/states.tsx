import type { ComponentChildren } from 'preact';
import type { Reading } from '../use-command.js';

/** What is shown in place of nothing. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Why something cannot be shown. */
export function Problem({ text }: { readonly text: string }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

/** A place for what is being read. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}

/** What a command has answered; or that it is being read, or why it was refused. */
export function Read<T>({
  of: { data, error },
  children,
}: {
  readonly of: Reading<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  if (data !== null) return <>{children(data)}</>;
  if (error === null) return <Loading />;
  // The page says at its top that the simulator does not answer.
  return error.status === 0 ? <Empty>Not read.</Empty> : <Problem text={error.message} />;
}
