import { isAddress } from '../../core/domain/inputs.js';
import { escaped } from '../../testing/scenario/references.js';
import { isName, plainText } from '../aliases.js';
import type { AgentNames } from './agent-names.js';
import { type LeftOut, SIGN_IN, type StepDraft } from './drafts.js';
import { mapTexts, textsIn } from '../../core/json.js';

/** The first occurrence of a value. */
interface Source {
  readonly draft: StepDraft;
  readonly path: string;
}

/** An alias in the path of a raw request. */
const IN_PATH = /<[a-z]+-\d+>/g;

/** Whether a world generated a text, so that its value differs in other worlds. */
function isMadeUp(text: string): boolean {
  return isName(text) || isAddress(text);
}

/** The first response that contains each generated value. */
function sourcesOf(drafts: readonly StepDraft[]): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const draft of drafts) {
    for (const { path, text } of textsIn(draft.told?.body ?? null)) {
      if (isMadeUp(text) && !sources.has(text)) sources.set(text, { draft, path });
    }
  }
  return sources;
}

/** Whether other steps refer to an agent between its sign-in, which opens its account, and its next call. */
function isAwaited(draft: StepDraft, later: readonly StepDraft[], agentNames: AgentNames): boolean {
  const agent = draft.title.slice(0, -SIGN_IN.length);
  const isOwn = ({ title }: StepDraft) => title.startsWith(`${agent}.`) && !title.endsWith('.send');
  const next = later.findIndex(isOwn);
  const between = next < 0 ? later : later.slice(0, next);
  return between.some(({ args }) =>
    [...textsIn(args)].some(({ text }) => agentNames.ofAddresses.get(text) === agent),
  );
}

/** Whether a sign-in renews the token of an agent that makes raw calls, which do not renew it. */
function isRenewal(
  { title }: StepDraft,
  earlier: readonly StepDraft[],
  drafts: readonly StepDraft[],
): boolean {
  const raw = `${title.slice(0, -SIGN_IN.length)}.call`;
  return earlier.some((draft) => draft.title === title) && drafts.some((draft) => draft.title === raw);
}

/** The steps to keep: steps that change state, and the sign-ins and reads on which other steps depend. */
export function needed(drafts: readonly StepDraft[], agentNames: AgentNames, all: boolean): StepDraft[] {
  const sources = sourcesOf(drafts);
  const wanted = new Set(
    drafts.filter((draft, at) =>
      draft.title.endsWith(SIGN_IN)
        ? isAwaited(draft, drafts.slice(at + 1), agentNames) || isRenewal(draft, drafts.slice(0, at), drafts)
        : all || !draft.isRead,
    ),
  );
  // A draft only refers to earlier ones.
  for (const draft of drafts.toReversed()) {
    if (!wanted.has(draft)) continue;
    const texts = [...textsIn([draft.args, draft.key ?? ''])].map(({ text }) => text);
    for (const text of [...texts, ...texts.flatMap((each) => each.match(IN_PATH) ?? [])]) {
      const source = agentNames.ofAddresses.get(text) === undefined ? sources.get(text)?.draft : undefined;
      if (source !== undefined && source.number < draft.number) wanted.add(source);
    }
  }
  return drafts.filter((draft) => wanted.has(draft));
}

/** The word for a saved member of a response, such as `application` for `application.id`. */
function wordOf(path: string): string {
  const parts = path.split('.').filter((part) => !/^\d+$/.test(part));
  const [last = '', before] = parts.toReversed();
  const word = ((last === 'id' ? before : last) ?? last).replace(/[^A-Za-z]+(\w)?/g, (_gap, next?: string) =>
    (next ?? '').toUpperCase(),
  );
  return word === '' ? 'response' : word[0]?.toLowerCase() + word.slice(1);
}

/**
 * Replaces agents' addresses and values from earlier responses by references. Leaves out steps that refer to the response of a line without
 * a step.
 */
export function withReferences(
  drafts: readonly StepDraft[],
  agentNames: AgentNames,
): { readonly drafts: StepDraft[]; readonly leftOut: LeftOut[] } {
  const sources = sourcesOf(drafts);
  const counts = new Map<string, number>();
  const saved = new Map<string, string>();
  const made = new Set<StepDraft>();
  const leftOut: LeftOut[] = [];
  for (const draft of drafts) {
    let isWhole = true;
    const reference = (text: string): string => {
      const agent = agentNames.ofAddresses.get(text);
      if (agent !== undefined) return `\${${agent}}`;
      const source = isMadeUp(text) ? sources.get(text) : undefined;
      if (source === undefined || !made.has(source.draft)) {
        isWhole &&= !isName(text);
        return escaped(plainText(text));
      }
      const word = wordOf(source.path);
      const count = (counts.get(word) ?? 0) + 1;
      const known = saved.get(text) ?? `${word}${count}`;
      if (!saved.has(text)) counts.set(word, count);
      saved.set(text, known);
      source.draft.saves.set(known, source.path);
      return `\${${known}}`;
    };
    const change = (text: string, member: string) =>
      member === 'path' ? text.replace(IN_PATH, reference) : reference(text);
    draft.args = mapTexts(draft.args, change, (name) => escaped(plainText(name)));
    if (draft.key !== undefined) draft.key = reference(draft.key);
    if (isWhole) made.add(draft);
    else leftOut.push({ number: draft.number, why: 'it refers to a value that no step creates' });
  }
  return { drafts: [...made], leftOut };
}
