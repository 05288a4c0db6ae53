import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const README = fileURLToPath(new URL('../../README.md', import.meta.url));

/** The README's first block of a language that has a text in it. */
export function readmeExample(text: string, language: 'js' | 'sh' = 'js'): string {
  const blocks = readFileSync(README, 'utf8').matchAll(/```(\w+)\n([\s\S]*?)```/g);
  for (const [, name, code = ''] of blocks) if (name === language && code.includes(text)) return code;
  throw new Error(`the README has no example with ${text}`);
}
