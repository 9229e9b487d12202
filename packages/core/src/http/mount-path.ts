import { ConfigurationError } from '../errors/configuration-error.js';
import { describeValue } from '../options/parse-options.js';

/** Takes the mount path off a request's path; `undefined` when the request is not below it. */
export type StripMountPath = (path: string) => string | undefined;

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
  return (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : undefined);
}
