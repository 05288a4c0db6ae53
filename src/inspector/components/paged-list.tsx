import { useMemo } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { Answer, Ask } from '../control/client.js';
import { session } from '../session.js';
import { PagedRows } from './paged-rows.js';
import { Empty, Loading, Problem } from './panel.js';
import { type ListColumn, VirtualList } from './virtual-list.js';
import { useReader } from '../use-command.js';

type PagedCommand = 'customers' | 'journalEntries' | 'transactions';

/** The list of a command, up to the furthest row scrolled to; it is read again when the world has changed. */
export function usePaged<I extends PagedCommand, T>(
  command: I,
  query: Readonly<Record<string, string | undefined>>,
  rowsOf: (answer: Answer<I>) => readonly T[],
  keyOf: (row: T) => string | number,
): PagedRows<T> {
  const { connection, control, pacer } = session;
  const paged = useMemo(
    () =>
      new PagedRows<T>(
        async (page) => {
          const answer = await control.do(command, { query: { ...query, ...page } } as Ask<I>);
          return { rows: rowsOf(answer), next: answer.next, size: answer.size };
        },
        { keyOf, pacer },
      ),
    [JSON.stringify(query)],
  );
  useReader(paged, connection.value === 'live');
  return paged;
}

interface PagedListProps<T> {
  readonly label: string;
  readonly of: PagedRows<T>;
  readonly columns: readonly ListColumn<T>[];
  readonly empty: ComponentChildren;
}

export function PagedList<T>({ of, empty, ...list }: PagedListProps<T>) {
  const { rows, error } = of.state.value;
  return (
    <>
      {error === null ? null : <Problem text={error} />}
      {rows === null && error === null ? <Loading /> : null}
      {rows?.length === 0 ? <Empty>{empty}</Empty> : null}
      {rows === null || rows.length === 0 ? null : (
        <VirtualList {...list} rows={rows} keyOf={of.keyOf} onNearEnd={() => of.more()} />
      )}
    </>
  );
}
