import type { ComponentChildren } from 'preact';
import { Empty, Panel, type PanelProps } from './panel.js';

/** A column of a table; numbers stand at its right. */
export type Column<T> = readonly [name: string, cell: (row: T) => ComponentChildren, kind?: 'number'];

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Identifies a row. Not needed when rows have no dialogs and keep their order. */
  readonly keyOf?: ((row: T) => string | number) | undefined;
  readonly empty: string;
}

/** A table that scrolls horizontally when it is too wide. */
export function Table<T>({ label, columns, rows, keyOf, empty }: TableProps<T>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(([name, _, kind]) => (
              <th key={name} scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf?.(row) ?? at}>
              {columns.map(([name, cell, kind]) => (
                <td key={name} class={kind}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type TablePanelProps<T> = Omit<PanelProps, 'children'> & Omit<TableProps<T>, 'label'>;

export function TablePanel<T>({ columns, rows, keyOf, empty, ...panel }: TablePanelProps<T>) {
  return (
    <Panel {...panel}>
      <Table label={panel.title} columns={columns} rows={rows} keyOf={keyOf} empty={empty} />
    </Panel>
  );
}
