import { z } from 'zod';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { describeValue, parseOptions } from '../base/options/parse-options.js';

const GATEWAY = 'a gateway, as createGateway returns it';

/** Removes the mount path from a request's path; `null` when the request is not below the mount path. */
export type StripMountPath = (path: string) => string | null;

/**
 * Checks the prefix of a gateway's paths, for servers that do not remove it from the path themselves.
 *
 * @param prefix such as `/search`, or `''` for no prefix.
 * @throws ConfigurationError unless the prefix is a plain path without patterns that starts, but does not end, with a slash.
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
 * Checks the arguments of a mount function when the host starts, so that mistakes show before the first request.
 *
 * @param known the names of the known options.
 * @throws ConfigurationError for a value that is no gateway, for options that are no object, and for unknown options.
 */
export function checkMount(gateway: unknown, options: unknown, known: readonly string[]): void {
  if (typeof (gateway as { handle?: unknown } | null | undefined)?.handle !== 'function')
    throw new ConfigurationError([{ path: 'gateway', found: describeValue(gateway), expected: GATEWAY }]);
  parseOptions(z.strictObject(Object.fromEntries(known.map((name) => [name, z.unknown().optional()]))), options, '');
}
