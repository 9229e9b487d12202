import type { ApiKey } from '../auth/api-key.js';
import { RequestError } from '../base/errors/request-error.js';
import { tryJson } from '../base/json-counts.js';
import { type GatewayRequest, servedPath } from './gateway-request.js';

/** A path with one segment that is the caller's key. */
export type KeyPath = `/${string}/{key}/${string}`;

const SEGMENT = '{key}';

export function isKeyPath(path: string): path is KeyPath {
  return path.includes(`/${SEGMENT}/`);
}

/** A request to a path of this form, whose path is the form from here on: nothing behind this function sees the key, but as the key. */
interface KeyInPath {
  readonly request: GatewayRequest;
  /** Percent-decoded, unchecked. May be empty. */
  readonly pathKey: string;
}

/** Takes the key out of a request's path. @returns `undefined` for a path of no such form. */
export function takePathKey(request: GatewayRequest, keyPaths: readonly KeyPath[]): KeyInPath | undefined {
  const sent = servedPath(request);
  for (const path of keyPaths) {
    const [before = '', after = ''] = path.split(SEGMENT);
    const end = sent.length - after.length;
    const segment = sent.slice(before.length, end);
    if (end < before.length || !sent.startsWith(before) || !sent.endsWith(after) || segment.includes('/')) continue;
    // A segment that is encoded wrongly stays as it is: no key is like that.
    const pathKey = tryJson(() => decodeURIComponent(segment)) ?? segment;
    return { request: withOwn(request, { path }), pathKey };
  }
  return undefined;
}

/**
 * The request with its keys in `Authorization`, so that keys are read in one place. That header wins over `keyHeader`, where both are sent. A key in the path that
 * is another one than that of the headers makes the header malformed, as a second header would.
 */
export function withKeyOf(request: GatewayRequest, keyHeader: string | undefined, pathKey?: string): GatewayRequest {
  if (keyHeader === undefined && pathKey === undefined) return request;
  const key = keyHeader === undefined ? undefined : request.header(keyHeader);
  const sent = request.header('authorization') ?? (key === undefined ? undefined : `Bearer ${key}`);
  const isOther = pathKey !== undefined && sent?.replace(/^bearer +/i, '').trimEnd() !== pathKey;
  const keys = isOther ? [sent, `Bearer ${pathKey}`].filter((each) => each !== undefined).join(', ') : sent;
  const header = (name: string) => (name === 'authorization' ? keys : request.header(name));
  return keys === request.header('authorization') ? request : withOwn(request, { header });
}

/** Paths are kept in logs of proxies and in histories, so that a key there should not be worth much. @throws RequestError `key_not_allowed_in_path` */
export function checkPathKey({ limit, allowedModels }: ApiKey): void {
  if (limit === null || allowedModels === null) throw new RequestError('key_not_allowed_in_path');
}

/** Tells of the path where an error tells of a header alone. */
export function inWordsOfPath(error: RequestError): RequestError {
  if (error.reason !== 'malformed_authorization') return error;
  const note = 'A key in the path counts as this header. Send one key, of printable ASCII characters.';
  return new RequestError(error.reason, { note });
}

/** The request with properties of our own. The requests of hosts may be instances with private fields, so that they cannot be copied. */
function withOwn(request: GatewayRequest, own: Partial<GatewayRequest>): GatewayRequest {
  return new Proxy({} as GatewayRequest, {
    get(_target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof GatewayRequest];
      const value: unknown = Reflect.get(request, name);
      return typeof value === 'function' && name !== 'host' ? (value.bind(request) as unknown) : value;
    },
  });
}
