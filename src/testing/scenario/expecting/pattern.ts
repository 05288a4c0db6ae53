import { Script, createContext } from 'node:vm';

/** Time limit for matching a pattern. A slower pattern takes exponential time in the length of the text. */
export const PATTERN_MS = 5_000;

const script = new Script("new RegExp(pattern, 'u').test(text)");
const context = createContext({ pattern: '', text: '' });

/** Whether a regular expression matches within a text; null if that takes longer than `limitMs`. */
export function findsPattern(pattern: string, text: string, limitMs = PATTERN_MS): boolean | null {
  Object.assign(context, { pattern, text });
  try {
    return script.runInContext(context, { timeout: limitMs }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
}
