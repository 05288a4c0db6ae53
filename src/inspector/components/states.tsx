import type { ComponentChildren } from 'preact';
import type { Reading } from '../use-command.js';

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
