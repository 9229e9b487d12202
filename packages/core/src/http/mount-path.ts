import { z } from 'zod';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { describeValue, parseOptions } from '../base/options/parse-options.js';

const GATEWAY = 'a gateway, as createGateway returns it';

/** Takes the mount path off a request's path; `null` when the request is not below it. */
export type StripMountPath = (path: string) => string | null;

/**
 * Checks the prefix a gateway is mounted under, for servers that do not take it off the path themselves.
 *
 * @param prefix such as `/search`, or `''` for none.
 * @throws ConfigurationError unless it starts with a slash, does not end with one, and is a plain path without patterns.
 */
export function stripMountPath(prefix = ''): StripMountPath {
  if (typeof prefix !== 'string' || !/^(?:\/[\w.~!$&'()+,;=@%-]+)*$/.test(prefix)) {
    throw new ConfigurationError([
      {
        path: 'prefix',
        found: describeValue(prefix),
        expected: 'a path such as "/search", without a slash at its end',
      },
    ]);
  }
  return (path) => {
    if (!path.startsWith(prefix)) return null;
    const below = path.slice(prefix.length);
    return prefix === '' || below === '' || below.startsWith('/') || below.startsWith('?') ? below : null;
  };
}

/**
 * Checks what a mount function was given when the host starts, so that no request is the first to find a mistake.
 *
 * @param known the names of the options there are.
 * @throws ConfigurationError for something else than a gateway, for options that are no object, and for unknown options.
 */
export function checkMount(gateway: unknown, options: unknown, known: readonly string[]): void {
  if (typeof (gateway as { handle?: unknown } | null | undefined)?.handle !== 'function')
    throw new ConfigurationError([{ path: 'gateway', found: describeValue(gateway), expected: GATEWAY }]);
  parseOptions(z.strictObject(Object.fromEntries(known.map((name) => [name, z.unknown().optional()]))), options, '');
}
