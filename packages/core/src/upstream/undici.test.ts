import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { buildConnector, checkUndici, Pool } from './undici.js';

/** A child process starts in about 2 s; other work on the machine must not fail it. */
const SLOW_START_MS = 60_000;
const coreFolder = join(import.meta.dirname, '..', '..');

/** Prints the dispatchers undici has made global: after a gateway was built, and after undici's main entry was loaded as well. */
const GLOBAL_DISPATCHERS = `
  const dispatchers = () => Object.getOwnPropertySymbols(globalThis).map(String).filter((key) => key.includes('undici'));
  const [core, providers] = await Promise.all([
    import('@searchgate/core'), import('@searchgate/core/providers'), import('@searchgate/core/node')]);
  const gateway = core.createGateway({
    providers: [providers.exa({ apiKey: 'a-key' })], ledger: core.memoryLedger(), authenticate: () => null });
  const ours = dispatchers();
  await import('undici');
  console.log(JSON.stringify([ours.length, dispatchers().length > 0]));
  await gateway.close();`;

/** Runs a module in a child process against the source of the packages. */
function output(module: string): string {
  const args = ['--conditions=@searchgate/source', '--import', 'tsx/esm', '--input-type=module', '--eval', module];
  return execFileSync(process.execPath, args, { cwd: coreFolder, encoding: 'utf8' }).trim();
}

describe('undici', () => {
  it(
    'is loaded without its main entry, which gives the process a global dispatcher',
    () => {
      expect(output(GLOBAL_DISPATCHERS)).toBe('[0,true]');
    },
    SLOW_START_MS,
  );

  it('is fit to reach providers here', () => {
    expect(() => checkUndici()).not.toThrow();
  });

  it.each([
    ['a Pool that cannot send', { Pool: class {}, buildConnector }, 'an undici without Pool.dispatch'],
    ['no connector', { Pool, buildConnector: undefined }, 'an undici without buildConnector'],
    ['nothing', { Pool: undefined, buildConnector: undefined }, 'an undici without Pool.dispatch and buildConnector'],
  ])('is refused when a runtime or a bundler has replaced it by %s', (_, loaded, found) => {
    const check = () => checkUndici(loaded);
    expect(check).toThrow(ConfigurationError);
    expect(check).toThrow(
      `runtime: found ${found}, expected undici 7 as npm installs it. Run the gateway on Node 20.19 or newer, Bun or Deno`,
    );
  });
});
