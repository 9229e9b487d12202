import type { GatewayRequest } from '@searchgate/core';

/**
 * Where to go for the page itself, when the mount path was asked for without the slash at its end: the URLs of the page are relative to it. Adapters take the
 * mount path off, so it is read from the host's request: Express and Koa have an `originalUrl`, others a `url`.
 *
 * @returns a relative reference, which holds behind any proxy; `undefined` where nothing is missing.
 */
export function missingSlash({ path, query, host }: GatewayRequest): string | undefined {
  if (path !== '' && path !== '/') return undefined;
  const { originalUrl, url } = (host ?? {}) as { readonly originalUrl?: unknown; readonly url?: unknown };
  const target = originalUrl ?? url;
  if (typeof target !== 'string') return undefined;
  const [mountPath = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  if (mountPath === '' || mountPath.endsWith('/')) return undefined;
  return `./${mountPath.slice(mountPath.lastIndexOf('/') + 1)}/${query === '' ? '' : `?${query}`}`;
}
