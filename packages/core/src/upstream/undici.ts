// Ambient modules cannot be imported, and every program that reads this source needs them.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./undici-files.d.ts" />
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { ConfigurationError } from '../base/errors/configuration-error.js';

/*
 * The two parts of undici that are used, imported from their own files instead of its main entry. Bun replaces `undici` by a shim whose Pool cannot
 * send requests (seen with Bun 1.4.5 on 2026-11-22). The main entry also loads a fetch, WebSockets and mocks that are not needed, and
 * sets a global dispatcher in the host's process, which the host did not ask for.
 */
export { buildConnector, Pool };

/** The parts are `unknown` until they are checked, because the runtime may have replaced undici. */
type LoadedUndici = Readonly<Record<'Pool' | 'buildConnector', unknown>>;

/**
 * Makes a runtime that cannot reach providers fail at the start instead of at each request.
 *
 * @throws ConfigurationError when the loaded module is not undici 7.
 */
export function checkUndici(loaded: LoadedUndici = { Pool, buildConnector }): void {
  const lacks = [
    ...(hasDispatch(loaded.Pool) ? [] : ['Pool.dispatch']),
    ...(typeof loaded.buildConnector === 'function' ? [] : ['buildConnector']),
  ];
  if (lacks.length === 0) return;
  const expected =
    'undici 7 as npm installs it. Run the gateway on Node 20.19 or newer, Bun or Deno, and let no bundler replace undici';
  throw new ConfigurationError([{ path: 'runtime', found: `an undici without ${lacks.join(' and ')}`, expected }]);
}

function hasDispatch(pool: unknown): boolean {
  const prototype: unknown = typeof pool === 'function' ? pool.prototype : undefined;
  return typeof (prototype as { dispatch?: unknown } | undefined)?.dispatch === 'function';
}
