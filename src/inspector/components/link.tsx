import type { ComponentChildren } from 'preact';
import { useSession } from '../session.js';
import { type Route, type ViewName, pathOf } from '../text/routes.js';

interface LinkProps {
  readonly to: ViewName;
  readonly id?: string | number;
  readonly query?: Route['query'];
  /** The id, unless it is given. */
  readonly text?: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly current?: boolean;
}

/** A link to a view that changes the page without a reload. */
export function Link({ to, id, query = {}, text = id, current, ...rest }: LinkProps) {
  const session = useSession();
  const route = { view: to, id: id === undefined ? null : String(id), query };
  return (
    <a
      {...rest}
      href={pathOf(session.mount, route)}
      aria-current={current === true ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        session.go(route);
      }}
    >
      {text}
    </a>
  );
}
