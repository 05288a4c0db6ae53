import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { session } from '../session.js';
import { Button } from './controls.js';
import { useMedia } from './media.js';

interface Layout {
  /** A track size of a grid: `84px`, `minmax(80px, 1fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** Its position on a phone, where a row has two lines; hidden there when absent. */
  readonly area?: 'mark' | 'lead' | 'end' | 'time' | 'text';
  /** Shown at the head instead of the name. */
  readonly head?: ComponentChildren;
  /** The name of the order by this column, which a click on its head then asks for in the address. */
  readonly sort?: string;
}

export type ListColumn<T> = readonly [name: string, cell: (row: T) => ComponentChildren, layout: Layout];

interface VirtualListProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly ListColumn<T>[];
  readonly keyOf: (row: T) => string | number;
  /** Keeps the last row in view. */
  readonly isFollowing?: boolean;
  /** Called when the user scrolls away from the end, or back. */
  readonly onAtEnd?: (isAtEnd: boolean) => void;
  readonly onNearEnd?: () => void;
}

/** As in `lists.css`; on a phone a row has two lines. */
const ROW_HEIGHT = 30;
const NARROW_ROW_HEIGHT = 56;
const NEAR_ROWS = 20;

/** The rows of a list that are in view. The position is kept under the name of the list. */
function useVirtualizer<T>(
  { label, rows, keyOf, isFollowing = false }: VirtualListProps<T>,
  rowHeight: number,
  box: { readonly current: HTMLDivElement | null },
) {
  const { places } = session;
  const [, redraw] = useReducer((times: number, _: undefined) => times + 1, 0);
  const count = rows.length;
  const options = {
    count,
    initialOffset: isFollowing ? 0 : (places.get(label) ?? 0),
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index: number) => (index < count ? keyOf(rows[index] as T) : index),
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const made = useRef<Virtualizer<HTMLDivElement, HTMLDivElement> | null>(null);
  made.current ??= new Virtualizer<HTMLDivElement, HTMLDivElement>(options);
  const virtualizer = made.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => () => void places.set(label, virtualizer.scrollOffset ?? 0), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  return virtualizer;
}

const classOf = ({ area, isNumber = false }: Layout) => `${isNumber ? 'number ' : ''}area-${area ?? 'none'}`;

/** The head of a column; the list is in order of the first one until another is chosen. */
function ColumnHead({ name, layout, first }: { name: string; layout: Layout; first: string | undefined }) {
  const { sort: sorted = first, order = 'desc' } = session.route.value?.query ?? {};
  const { sort, head = name } = layout;
  const isSorted = sort !== undefined && sort === sorted;
  const isDown = order === 'desc';
  const onClick = () => session.setQuery({ sort: sort ?? '', order: isSorted && isDown ? 'asc' : 'desc' });
  return (
    <span
      role="columnheader"
      class={classOf(layout)}
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
    >
      {sort === undefined ? (
        head
      ) : (
        <Button name={`${name} ${isSorted ? (isDown ? '↓' : '↑') : ''}`} class="plain" onClick={onClick} />
      )}
    </span>
  );
}

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, rows, columns, keyOf, isFollowing = false, onAtEnd, onNearEnd } = props;
  const count = rows.length;
  const rowHeight = useMedia('(max-width: 800px)') ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const box = useRef<HTMLDivElement>(null);
  const last = useRef({ top: 0, height: 0 });
  const virtualizer = useVirtualizer(props, rowHeight, box);
  const items = virtualizer.getVirtualItems();
  const shownTo = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isFollowing && count > 0) virtualizer.scrollToIndex(count - 1, { align: 'end' });
  }, [isFollowing, count]);
  useEffect(() => {
    if (count > 0 && shownTo >= count - NEAR_ROWS) onNearEnd?.();
  }, [shownTo, count]);
  return (
    <div
      ref={box}
      class="virtual"
      style={{ '--columns': columns.map(([, , { width }]) => width).join(' ') }}
      role="table"
      aria-label={label}
      aria-rowcount={count}
      tabIndex={0}
      onKeyDown={({ key, currentTarget }) => {
        // The browser scrolls the box; a focused row may leave the document, and the focus with it.
        if (/^Arrow(?:Up|Down)$|^(?:Home|End|PageUp|PageDown)$/.test(key))
          currentTarget.focus({ preventScroll: true });
      }}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        const isAtEnd = scrollHeight - scrollTop - clientHeight < rowHeight;
        // Rows that arrive move the end away, and old ones that make room the whole list: neither is scrolling back.
        const isBack = scrollTop < last.current.top && scrollHeight >= last.current.height;
        if (isAtEnd || isBack) onAtEnd?.(isAtEnd);
        last.current = { top: scrollTop, height: scrollHeight };
      }}
    >
      <div class="virtual-head row" role="row">
        {columns.map(([name, _, layout]) => (
          <ColumnHead key={name} name={name} layout={layout} first={columns[0]?.[2].sort} />
        ))}
      </div>
      <div class="virtual-rows" role="rowgroup" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={keyOf(row)}
              class="row"
              role="row"
              aria-rowindex={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              {columns.map(([name, cell, layout]) => (
                <span
                  key={name}
                  role="cell"
                  class={classOf(layout)}
                  data-name={name}
                  style={{ '--area': layout.area }}
                >
                  {cell(row)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
