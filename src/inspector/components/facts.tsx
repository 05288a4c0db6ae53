import type { ComponentChildren } from 'preact';

/** Names and values, side by side. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren] | null)[];
}) {
  return (
    <dl class="facts">
      {rows.map((row) =>
        row === null ? null : (
          <div key={row[0]}>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function Members({ of }: { readonly of: object }) {
  return (
    <Facts
      rows={Object.entries(of).map(([name, value]) => [
        name,
        <span class="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</span>,
      ])}
    />
  );
}
