import { escapedText } from '../../../api/html/markup.js';

/** A column of a table. Numbers are aligned to the right. */
export interface Column {
  readonly name: string;
  readonly isNumber?: true;
}

export function numbers(...names: readonly string[]): Column[] {
  return names.map((name) => ({ name, isNumber: true }));
}

export function texts(...names: readonly string[]): Column[] {
  return names.map((name) => ({ name }));
}

/** A table of texts; the first cell of a row is its header. */
export function tableMarkup(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const classOf = (at: number) => (columns[at]?.isNumber === true ? ' class="number"' : '');
  const heads = columns.map(({ name }, at) => `<th scope="col"${classOf(at)}>${escapedText(name)}</th>`);
  const lines = rows.map((row) => {
    const cells = row.map((cell, at) =>
      at === 0 ? `<th scope="row">${escapedText(cell)}</th>` : `<td${classOf(at)}>${escapedText(cell)}</td>`,
    );
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead><tbody>
${lines.join('\n')}
</tbody></table></div>
`;
}
