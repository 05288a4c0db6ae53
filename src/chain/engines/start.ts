import type { Engine } from '../engine.js';

/** Starts an engine by its name. Only the one that is wanted is loaded. */
export async function startEngine(name: 'bankrun' | 'litesvm'): Promise<Engine> {
  switch (name) {
    case 'bankrun':
      return (await import('./bankrun.js')).BankrunEngine.start();
    case 'litesvm':
      return new (await import('./litesvm.js')).LiteSvmEngine();
  }
}
