import type { Engine } from '../engine.js';

/** Starts an engine by name, loading only that one. */
export async function startEngine(name: 'bankrun' | 'litesvm'): Promise<Engine> {
  switch (name) {
    case 'bankrun':
      return (await import('./bankrun.js')).BankrunEngine.start();
    case 'litesvm':
      return new (await import('./litesvm.js')).LiteSvmEngine();
  }
}
