import { useEffect, useMemo } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { useSession } from '../session.js';
import { type Page, PagedRows } from './paged-rows.js';
import { Empty, Loading, Problem } from './states.js';
import { type ListColumn, VirtualList } from './virtual-list.js';

/** A list that is read by page, and again when the world has changed; another `key` is another list. */
export function usePaged<T>(
  key: string,
  read: (page: { readonly cursor: string | undefined; readonly limit: number }) => Promise<Page<T>>,
  keyOf: (row: T) => string | number,
): PagedRows<T> {
  const { changes, connection, pacer } = useSession();
  const paged = useMemo(() => new PagedRows<T>(read, { keyOf, pacer }), [key]);
  const { value } = changes;
  const isLive = connection.value === 'live';
  useEffect(() => {
    if (isLive) paged.refresh();
  }, [paged, value, isLive]);
  useEffect(() => () => paged.stop(), [paged]);
  return paged;
}

interface PagedListProps<T> {
  readonly label: string;
  readonly class?: string;
  readonly of: PagedRows<T>;
  readonly columns: readonly ListColumn<T>[];
  /** Shown in place of no rows. */
  readonly empty: ComponentChildren;
}

/** What has been read of a list; or that it is being read, or why it was refused. */
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
