import { counted } from '../../../core/counted.js';
import { documentOf } from '../../../api/html/document.js';
import { escapedText } from '../../../api/html/markup.js';
import type { StudyManifest } from '../results.js';
import { SCRIPT } from './script.js';
import { changesOf } from './effects.js';
import { intervalsMarkup } from './interval-plots.js';
import { limitsMarkup } from './limits.js';
import { type ReportInput, reportInput } from './report-input.js';
import { changesMarkup, fullName, keyMarkup, metricMarkup } from './sections.js';
import type { StudySeries } from './study-series.js';
import { STYLE } from './style.js';
import { numbers, tableMarkup, texts } from './table.js';
import { figureText, pointText } from './texts.js';

function headerMarkup({ study, runs, points, ticks, startTime }: StudyManifest): string {
  const failed = runs.filter(({ failure }) => failure !== null).length;
  const actions = runs.reduce((sum, run) => sum + run.actions, 0);
  const verdict = failed === 0 ? 'All runs passed the ledger check' : `${counted(failed, 'run')} failed`;
  const about = `${counted(runs.length, 'run')} of ${counted(points.length, 'point')}, ${counted(study.population.count, 'agent')}, ${study.span} in ${counted(ticks, 'tick')} of ${study.tick} from ${startTime}, ${counted(actions, 'action')}`;
  return `<header><h1>${escapedText(study.name)}</h1>
<p class="tally"><span class="${failed === 0 ? 'passed' : 'failed'}">${failed === 0 ? '✓' : '✗'} ${verdict}</span></p>
${study.description === undefined ? '' : `<p>${escapedText(study.description)}</p>\n`}<p class="quiet">${escapedText(about)}</p></header>`;
}

function failuresMarkup({ runs }: StudyManifest): string {
  const failed = runs.flatMap(({ run, point, seed, failure }) =>
    failure === null
      ? []
      : `<p class="problem">${escapedText(`Run ${run} of point ${point}, seed ${seed}, at tick ${failure.tick} (${failure.at}): ${failure.rule}: ${failure.text}`)}</p>
${failure.state === null ? '' : `<pre>${escapedText(`sim inspect ${failure.state}`)}</pre>\n`}`,
  );
  return failed.length === 0 ? '' : `<h2>Failed runs</h2>\n${failed.join('')}`;
}

function pointsMarkup({ manifest, names, marks }: ReportInput): string {
  const { points, population, parameters, study, software } = manifest;
  const personas = [...new Set(population.flatMap((agents) => Object.keys(agents)))];
  const rows = points.map(({ point, values }) => {
    const agents = personas.map((name) => String(population[point - 1]?.[name] ?? 0));
    const marked = (marks.get(point) ?? []).map(({ tick, text }) => `tick ${figureText(tick)}: ${text}`);
    const last = point * study.repetitions;
    const runs = study.repetitions === 1 ? String(last) : `${last - study.repetitions + 1} to ${last}`;
    return [
      String(point),
      runs,
      ...parameters.map((path) => String(values[path])),
      ...agents,
      marked.join('; '),
    ];
  });
  const columns = [...texts('Point', 'Runs', ...parameters), ...numbers(...personas), ...texts('Marks')];
  const summary =
    points.length === 1 ? pointText(points[0] as (typeof points)[0], names) : counted(points.length, 'point');
  const versions = Object.entries(software).map(([name, version]) => `${name} ${version}`);
  return `<details><summary>${escapedText(summary)}: values, agents by persona, and marks in the plots</summary>
${tableMarkup(columns, rows)}<p class="quiet"><code>sim study FILE --inspect RUN --tick TICK</code> opens the world of a run in the inspector.</p></details>
<p class="quiet">${escapedText(`Seed ${study.seed}; ${versions.join(', ')}`)}</p>
`;
}

const MOST_CHANGES = 10;

/** The changes between points, largest first, with their plots; then all other plots. */
function resultsMarkup(input: ReportInput): string {
  const { manifest, all } = input;
  const changes = changesOf(manifest, all);
  const [first, rest] = [changes.slice(0, MOST_CHANGES), changes.slice(MOST_CHANGES)];
  const plotted = new Set(first.map(({ series }) => series));
  const plots = [...plotted].map((series) => keyMarkup(series, fullName(series), input)).join('');
  const others = Object.keys(manifest.metrics).map((metric) => metricMarkup(metric, plotted, input));
  const filter = `<form id="filter"><input type="search" name="text" placeholder="Part of a metric or key, such as liquidity USDC" aria-label="Only plots with these words"/><output id="shown" class="quiet"></output></form>`;
  if (manifest.points.length === 1) return `${filter}\n${legendOf(input)}${others.join('')}`;
  const once =
    manifest.study.repetitions === 1
      ? ' Each point has only one run, so chance effects cannot be separated.'
      : '';
  const differences =
    first.length === 0
      ? `<p>No metric differs more between points than between the runs of a point.${conditionsOf(input)}</p>`
      : `<p class="quiet">These metrics differ more between points than between the runs of a point. A row compares the two points that differ most${manifest.parameters.length > 1 ? ', by one option where others can be equal' : ''}; its share is of the larger median.${once}</p>
${changesMarkup(first, input)}${intervalsMarkup(first, input)}${rest.length === 0 ? '' : `<details><summary>${counted(rest.length, 'smaller change')}</summary>${changesMarkup(rest, input)}</details>\n`}`;
  return `<h2>What the sweep changes</h2>
${differences}${plots === '' ? '' : legendOf(input) + plots}<details><summary>All other plots</summary><div class="inside">${filter}
${plots === '' ? legendOf(input) : ''}${others.join('')}</div></details>
`;
}

/** What was swept, where rates and prices are measured: they are inputs, which no other metric has to follow. */
function conditionsOf({ manifest, names }: ReportInput): string {
  if (manifest.metrics['rates'] === undefined) return '';
  const swept = escapedText([...names.values()].join(', '));
  return ` Swept: ${swept}. Rates and prices are inputs, so that they are not compared.`;
}

/** What the lines and areas of plots mean, and the marks that they have. */
function legendOf({ marks }: ReportInput): string {
  const kinds = new Set([...marks.values()].flat().map(({ kind }) => kind));
  const rates = kinds.has('rates') ? ' <span class="key rates">rate or price change</span>' : '';
  const failure = kinds.has('failure') ? ' <span class="key failure">run failure</span>' : '';
  return `<p class="quiet"><span class="key median">median of the runs</span> <span class="key inner">middle half of the runs</span> <span class="key outer">10th to 90th percentile</span>${rates}${failure}</p>\n`;
}

/** The results of a study as one self-contained HTML page. It is also well-formed XML; equal results give equal pages. */
export function studyPage(manifest: StudyManifest, all: StudySeries): string {
  const input = reportInput(manifest, all);
  const body = `${headerMarkup(manifest)}
<main>
${failuresMarkup(manifest)}${limitsMarkup(input)}${resultsMarkup(input)}${pointsMarkup(input)}</main>`;
  return documentOf({ title: manifest.study.name, style: STYLE, script: SCRIPT, body });
}
