import type { ComponentChildren } from 'preact';

interface PanelProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, note, actions, class: name = '', children }: PanelProps) {
  return (
    <section class={`panel ${name}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {note === undefined ? null : <span class="note">{note}</span>}
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** The head of a view: its title, and what concerns all of it. */
export function Head({
  title,
  children,
}: {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="head">
      <h1>{title}</h1>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </div>
  );
}
