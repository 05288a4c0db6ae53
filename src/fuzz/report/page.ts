import type { Summary } from '../campaign/summary.js';

/** A campaign as one page of HTML. */
export function limitsPage(summary: Summary): string {
  return `<!doctype html><title>${summary.property}</title>`;
}
