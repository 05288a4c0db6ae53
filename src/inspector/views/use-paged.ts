import { useEffect, useMemo } from 'preact/hooks';
import { useSession } from '../session.js';
import { type Page, PagedRows } from './paged-rows.js';

/** A list that is read by page, and again when the world has changed; another `key` is another list. */
export function usePaged<T>(
  key: string,
  read: (cursor: string | undefined, limit: number) => Promise<Page<T>>,
  keyOf: (row: T) => unknown,
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
