import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { useSession } from '../session.js';

interface VirtualListProps {
  /** What the list holds, for screen readers. */
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  /** Identifies a row wherever it stands. */
  readonly keyOf: (index: number) => string | number;
  readonly row: (index: number) => ComponentChildren;
  readonly rowClass?: (index: number) => string;
  readonly head?: ComponentChildren;
  /** Keeps the last row in view. */
  readonly isFollowing?: boolean;
  /** Called when the user scrolls away from the end, or back. */
  readonly onAtEnd?: (isAtEnd: boolean) => void;
  /** Called when rows near this end come into view. */
  readonly onNearEnd?: () => void;
}

const NEAR_ROWS = 20;
/** What is focused of a row; a row without is focused itself. */
const FOCUSABLE = 'a, button';
const REACH_FRAMES = 20;

function useVirtualizer(props: VirtualListProps, box: { readonly current: HTMLDivElement | null }) {
  const { places } = useSession();
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0);
  const { count, rowHeight, keyOf, label, isFollowing = false } = props;
  const options = {
    count,
    initialOffset: isFollowing ? 0 : (places.get(label) ?? 0),
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
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

/** A list of which only the rows in view exist. Arrow keys go from row to row. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, keyOf, row, rowClass, head, isFollowing = false, onAtEnd, onNearEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const last = useRef({ top: 0, height: 0 });
  const virtualizer = useVirtualizer(props, box);
  const items = virtualizer.getVirtualItems();
  const shownTo = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isFollowing && count > 0) virtualizer.scrollToIndex(count - 1, { align: 'end' });
  }, [isFollowing, count]);
  useEffect(() => {
    if (count > 0 && shownTo >= count - NEAR_ROWS) onNearEnd?.();
  }, [shownTo, count]);
  const focus = (index: number) => {
    const at = Math.max(0, Math.min(count - 1, index));
    virtualizer.scrollToIndex(at, { align: 'auto' });
    // A row that was far away exists only after the list has been scrolled there.
    const reach = (tries: number) => {
      const found = box.current?.querySelector<HTMLElement>(`[data-index="${at}"]`) ?? null;
      if (found !== null)
        (found.querySelector<HTMLElement>(FOCUSABLE) ?? found).focus({ preventScroll: true });
      else if (tries > 0) requestAnimationFrame(() => reach(tries - 1));
    };
    requestAnimationFrame(() => reach(REACH_FRAMES));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset['index'];
    const at = Number(now ?? virtualizer.range?.startIndex ?? 0);
    const to = { ArrowDown: now === undefined ? at : at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[
      event.key
    ];
    if (to === undefined || (event.target as HTMLElement).tagName === 'INPUT') return;
    event.preventDefault();
    focus(to);
  };
  return (
    <div
      ref={box}
      class="virtual"
      role="table"
      aria-label={label}
      aria-rowcount={count}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        const isAtEnd = scrollHeight - scrollTop - clientHeight < props.rowHeight;
        // Rows that arrive move the end away, and old ones that make room the whole list: neither is scrolling back.
        const isBack = scrollTop < last.current.top && scrollHeight >= last.current.height;
        if (isAtEnd || isBack) onAtEnd?.(isAtEnd);
        last.current = { top: scrollTop, height: scrollHeight };
      }}
    >
      {head === undefined ? null : (
        <div class="virtual-head row" role="row">
          {head}
        </div>
      )}
      <div
        ref={(rows) => rows?.style.setProperty('height', `${virtualizer.getTotalSize()}px`)}
        class="virtual-rows"
        role="rowgroup"
      >
        {items.map(({ index, start }) => (
          <div
            key={keyOf(index)}
            class={`row ${rowClass?.(index) ?? ''}`}
            role="row"
            aria-rowindex={index + 1}
            data-index={index}
            tabIndex={-1}
            ref={(each) => each?.style.setProperty('transform', `translateY(${start}px)`)}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
