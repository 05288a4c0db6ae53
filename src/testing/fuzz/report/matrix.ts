import { counted } from '../../../core/counted.js';
import { attributes, dataText, escapedText } from '../../../api/html/markup.js';
import { type Pair, summedBy } from '../campaign/coverage.js';

/** Number of shades of a cell; the darkest is for the largest count. */
const SHADES = 9;

/** Darkness of a cell, on a logarithmic scale: 0 for none. */
function shadeOf(count: number, most: number): number {
  if (count <= 0) return 0;
  return most <= 1 ? SHADES : 1 + Math.round(((SHADES - 1) * Math.log(count)) / Math.log(most));
}

/** Whether an outcome belongs to several overlapping calls. */
export function isOverlap({ outcome }: Pair): boolean {
  return outcome.includes('+');
}

function cell(count: number, most: number): string {
  return `<td class="n${shadeOf(count, most)}">${count === 0 ? '' : counted(count)}</td>`;
}

function namesOf(pairs: readonly Pair[], nameOf: (pair: Pair) => string): string[] {
  return summedBy(pairs, nameOf).map(([name]) => name);
}

/** Success first, then the others by frequency. */
function outcomesOf(pairs: readonly Pair[]): string[] {
  const names = namesOf(pairs, ({ outcome }) => outcome);
  return [...names.filter((name) => name === 'ok'), ...names.filter((name) => name !== 'ok')];
}

function rowsMarkup(
  pairs: readonly Pair[],
  outcomes: readonly string[],
  commands: readonly string[],
): string {
  const counts = new Map(summedBy(pairs, ({ command, outcome }) => `${command} | ${outcome}`));
  const most = Math.max(0, ...counts.values());
  const rows = commands.map((command) => {
    const cells = outcomes.map((outcome) => cell(counts.get(`${command} | ${outcome}`) ?? 0, most));
    return `<tr><th scope="row">${escapedText(command)}</th>${cells.join('')}</tr>`;
  });
  return rows.join('\n');
}

/** Commands × outcomes with their counts, which a short script filters by state class. */
export function matrixMarkup(all: readonly Pair[]): string {
  const pairs = all.filter((pair) => !isOverlap(pair));
  const commands = namesOf(pairs, ({ command }) => command).toSorted();
  const outcomes = outcomesOf(pairs);
  const states = [...new Set(pairs.map(({ state }) => state))].toSorted();
  const place = (names: readonly string[]) => new Map(names.map((name, at) => [name, at]));
  const [rows, columns, classes] = [place(commands), place(outcomes), place(states)];
  const data = {
    shades: SHADES,
    states,
    counts: pairs.map(({ state, command, outcome, count }) => [
      classes.get(state),
      rows.get(command),
      columns.get(outcome),
      count,
    ]),
  };
  const heads = outcomes.map(
    (outcome) => `<th scope="col" class="up"><span>${escapedText(outcome)}</span></th>`,
  );
  return `<form id="filter"><input type="search" name="state" placeholder="Part of a state class, such as debt full, active" aria-label="Only state classes with these parts"/>
<output id="shown" class="quiet"></output></form>
<div class="scroll"><table id="matrix" class="matrix"><caption>Number of times that each command had each outcome; darker means more often, on a logarithmic scale</caption>
<thead><tr><th scope="col">Command</th>${heads.join('')}</tr></thead>
<tbody>
${rowsMarkup(pairs, outcomes, commands)}
</tbody></table></div>
<script${attributes({ type: 'application/json', id: 'pairs' })}>${dataText(data)}</script>
`;
}

/** Names with their counts; the first head is for the names. */
export function numbersMarkup(
  heads: readonly string[],
  rows: readonly (readonly [name: string, ...counts: number[]])[],
): string {
  const head = heads.map((each) => `<th scope="col">${each}</th>`).join('');
  const lines = rows.map(([name, ...counts]) => {
    const cells = counts.map((count) => `<td>${counted(count)}</td>`).join('');
    return `<tr><th scope="row">${escapedText(name)}</th>${cells}</tr>`;
  });
  return `<table class="numbers"><thead><tr>${head}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table>`;
}

/** State classes with the commands and outcomes reached in them: a second view of the coverage. */
export function statesMarkup(pairs: readonly Pair[]): string {
  const states = summedBy(pairs, ({ state }) => state);
  const rows = states.map(([state, steps]): [string, ...number[]] => {
    const own = pairs.filter((pair) => pair.state === state);
    const commands = new Set(own.map(({ command }) => command));
    const codes = new Set(own.map(({ outcome }) => outcome));
    return [state, steps, commands.size, codes.size, own.length];
  });
  return `<details><summary>${counted(states.length)} state classes</summary>
<div class="scroll">${numbersMarkup(['State class', 'Steps', 'Commands', 'Outcomes', 'Pairs'], rows)}</div></details>
`;
}
