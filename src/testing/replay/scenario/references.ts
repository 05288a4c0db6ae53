import { isAddress } from '../../../core/domain/inputs.js';
import { escaped } from '../../scenario/references.js';
import { isName } from '../../../api/recorder/id-aliases.js';
import type { AgentNames } from './agent-names.js';
import { type StepDraft, textsIn, withTexts } from './step-draft.js';

/** Where a text was told first. */
interface Source {
  readonly draft: StepDraft;
  readonly path: string;
}

/** Whether a text is one that a world makes up, so that another world has another in its place. */
function isMadeUp(text: string): boolean {
  return isName(text) || isAddress(text);
}

/** The first answer that told each text which worlds make up. */
function sourcesOf(drafts: readonly StepDraft[]): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const draft of drafts) {
    for (const { path, text } of textsIn(draft.told?.body ?? null)) {
      if (isMadeUp(text) && !sources.has(text)) sources.set(text, { draft, path });
    }
  }
  return sources;
}

/** The steps that are wanted: all that do something, and of those that only look what others refer to. */
export function needed(drafts: readonly StepDraft[], agentNames: AgentNames, all: boolean): StepDraft[] {
  const sources = sourcesOf(drafts);
  const wanted = new Set(drafts.filter(({ isRead }) => all || !isRead));
  const waiting = [...wanted];
  for (let draft = waiting.pop(); draft !== undefined; draft = waiting.pop()) {
    for (const { text } of textsIn([draft.args, draft.key ?? ''])) {
      const source = agentNames.at(text) === undefined ? sources.get(text)?.draft : undefined;
      if (source === undefined || source.number >= draft.number || wanted.has(source)) continue;
      wanted.add(source);
      waiting.push(source);
    }
  }
  return drafts.filter((draft) => wanted.has(draft));
}

/** A name for a member of an answer, such as `application1` for the first `application.id`. */
class SavedNames {
  readonly #counts = new Map<string, number>();

  of(path: string): string {
    const parts = path.split('.').filter((part) => !/^\d+$/.test(part));
    const [last = '', before] = parts.toReversed();
    const word = ((last === 'id' ? before : last) ?? last).replace(
      /[^A-Za-z]+(\w)?/g,
      (_gap, next?: string) => (next ?? '').toUpperCase(),
    );
    const base = word === '' ? 'answer' : word[0]?.toLowerCase() + word.slice(1);
    const count = (this.#counts.get(base) ?? 0) + 1;
    this.#counts.set(base, count);
    return `${base}${count}`;
  }
}

/** The same steps with references in the place of agents' addresses and of what earlier answers told. */
export function withReferences(drafts: readonly StepDraft[], agentNames: AgentNames): StepDraft[] {
  const sources = sourcesOf(drafts);
  const names = new SavedNames();
  const saved = new Map<string, string>();
  const reference = (text: string, draft: StepDraft): string => {
    const agent = agentNames.at(text);
    if (agent !== undefined) return `\${${agent}}`;
    const source = isMadeUp(text) ? sources.get(text) : undefined;
    // A text that began with the mark of names has one more of it.
    if (source === undefined || source.draft.number >= draft.number)
      return escaped(text.startsWith('<<') ? text.slice(1) : text);
    const known = saved.get(text) ?? names.of(source.path);
    saved.set(text, known);
    source.draft.saves.set(known, source.path);
    return `\${${known}}`;
  };
  return drafts.map((draft) => {
    const args = withTexts(draft.args, (text) => reference(text, draft), escaped);
    const key = draft.key === undefined ? {} : { key: reference(draft.key, draft) };
    return { ...draft, args, ...key };
  });
}
