import { type ComponentChildren, Fragment } from 'preact';

type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values, side by side. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** A text as it is, any other value as JSON. */
export const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export function Members({ of }: { readonly of: object }) {
  return (
    <Facts
      rows={Object.entries(of).map(([name, value]) => [name, <span class="mono">{textOf(value)}</span>])}
    />
  );
}
