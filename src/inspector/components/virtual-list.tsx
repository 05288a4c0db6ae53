import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { useSession } from '../session.js';
import { NARROW, useMedia } from './media.js';

/** How a column of a list is shown. */
interface Layout {
  /** A track size of a grid: `84px`, `minmax(80px, 1fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** Its position on a phone, where a row has two lines; hidden there when absent. */
  readonly area?: 'mark' | 'lead' | 'usdc' | 'end' | 'time' | 'text';
  /** Shown at the head instead of the name. */
  readonly head?: ComponentChildren;
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

export type ListColumn<T> = readonly [name: string, cell: (row: T) => ComponentChildren, layout: Layout];

interface VirtualListProps<T> {
  readonly label: string;
  readonly class?: string;
  readonly rows: readonly T[];
  readonly columns: readonly ListColumn<T>[];
  readonly keyOf: (row: T) => string | number;
  /** Keeps the last row in view. */
  readonly isFollowing?: boolean;
  /** Called when the user scrolls away from the end, or back. */
  readonly onAtEnd?: (isAtEnd: boolean) => void;
  /** Called when rows near this end come into view. */
  readonly onNearEnd?: () => void;
}

const ROW_HEIGHT = 30;
const NARROW_ROW_HEIGHT = 56;
const NEAR_ROWS = 20;
/** The element of a row that gets the focus: by default the row. */
const FOCUSABLE = 'a, button';
const REACH_FRAMES = 20;

/** The rows of a list that are in view. The position is kept under the name of the list. */
function useVirtualizer<T>(
  { label, rows, keyOf, isFollowing = false }: VirtualListProps<T>,
  rowHeight: number,
  box: { readonly current: HTMLDivElement | null },
) {
  const { places } = useSession();
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

const classOf = ({ area, isNumber = false }: Layout) => `${isNumber ? 'number ' : ''}area-${area ?? ''}`;

function Heads<T>({ columns }: { readonly columns: readonly ListColumn<T>[] }) {
  return (
    <div class="virtual-head row" role="row">
      {columns.map(([name, _, layout]) => (
        <span key={name} role="columnheader" class={classOf(layout)} aria-sort={layout.sorted}>
          {layout.head ?? name}
        </span>
      ))}
    </div>
  );
}

interface CellsProps<T> {
  readonly columns: readonly ListColumn<T>[];
  readonly row: T;
  readonly isNarrow: boolean;
}

function Cells<T>({ columns, row, isNarrow }: CellsProps<T>) {
  return columns.map(([name, cell, layout]) => (
    <span
      key={name}
      role="cell"
      class={classOf(layout)}
      data-name={name}
      style={{ gridArea: isNarrow ? layout.area : undefined }}
    >
      {cell(row)}
    </span>
  ));
}

/** Focuses a row after scrolling to it, since rows out of view do not exist. */
function focusRow(box: HTMLElement | null, index: number, tries = REACH_FRAMES): void {
  requestAnimationFrame(() => {
    const found = box?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null;
    if (found !== null) (found.querySelector<HTMLElement>(FOCUSABLE) ?? found).focus({ preventScroll: true });
    else if (tries > 0) focusRow(box, index, tries - 1);
  });
}

/** A list that renders only the rows in view. Arrow keys move from row to row. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, rows, keyOf, isFollowing = false, onAtEnd, onNearEnd } = props;
  const isNarrow = useMedia(NARROW);
  const columns = props.columns.filter(([, , { area }]) => !isNarrow || area !== undefined);
  const count = rows.length;
  const rowHeight = isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const box = useRef<HTMLDivElement>(null);
  const last = useRef({ top: 0, height: 0 });
  const virtualizer = useVirtualizer(props, rowHeight, box);
  const widths = columns.map(([, , { width }]) => width).join(' ');
  useLayoutEffect(() => box.current?.style.setProperty('--columns', widths), [widths]);
  const items = virtualizer.getVirtualItems();
  const shownTo = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isFollowing && count > 0) virtualizer.scrollToIndex(count - 1, { align: 'end' });
  }, [isFollowing, count]);
  useEffect(() => {
    if (count > 0 && shownTo >= count - NEAR_ROWS) onNearEnd?.();
  }, [shownTo, count]);
  const onKeyDown = (event: KeyboardEvent) => {
    const now = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset['index'];
    const at = Number(now ?? virtualizer.range?.startIndex ?? 0);
    const to = { ArrowDown: now === undefined ? at : at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[
      event.key
    ];
    if (to === undefined || (event.target as HTMLElement).tagName === 'INPUT') return;
    event.preventDefault();
    const index = Math.max(0, Math.min(count - 1, to));
    virtualizer.scrollToIndex(index, { align: 'auto' });
    focusRow(box.current, index);
  };
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ''}`}
      role="table"
      aria-label={label}
      aria-rowcount={count}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        const isAtEnd = scrollHeight - scrollTop - clientHeight < rowHeight;
        // Rows that arrive move the end away, and old ones that make room the whole list: neither is scrolling back.
        const isBack = scrollTop < last.current.top && scrollHeight >= last.current.height;
        if (isAtEnd || isBack) onAtEnd?.(isAtEnd);
        last.current = { top: scrollTop, height: scrollHeight };
      }}
    >
      <Heads columns={columns} />
      <div
        ref={(element) => element?.style.setProperty('height', `${virtualizer.getTotalSize()}px`)}
        class="virtual-rows"
        role="rowgroup"
      >
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={keyOf(row)}
              class="row"
              role="row"
              aria-rowindex={index + 1}
              data-index={index}
              tabIndex={-1}
              ref={(each) => each?.style.setProperty('transform', `translateY(${start}px)`)}
            >
              <Cells columns={columns} row={row} isNarrow={isNarrow} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
