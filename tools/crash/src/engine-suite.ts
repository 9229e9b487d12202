import { afterAll, describe, it } from 'vitest';
import { ALL_ENGINES, type Engine, type EngineName, startEngines } from './engines.js';

/** Runs the same tests on every engine, or on the named engines; an unavailable engine is skipped with its reason. */
export async function engineSuite(
  title: string,
  define: (engine: Engine) => void,
  names: readonly EngineName[] = ALL_ENGINES,
): Promise<void> {
  const engines = await startEngines(names);
  for (const { name, reason } of engines.filter((engine) => 'reason' in engine)) {
    it.skipIf(reason)(`${title}, on ${name} (skipped: ${reason})`, () => undefined);
  }
  for (const engine of engines.filter((some) => 'newLedger' in some)) {
    describe(`${title}, on ${engine.name}`, () => {
      afterAll(() => engine.stop());
      define(engine);
    });
  }
}
