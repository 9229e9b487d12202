import { RequestError } from '@searchgate/core/extensions';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Builds the check of `Origin`. Only browsers send this header. It refuses pages of other hosts, which could use the caller's cookies, or reach a gateway in a
 * private network through a name that they control (DNS rebinding). The latter needs plain `http:`, so there only loopback names are trusted.
 *
 * @param listed origins such as `https://chat.example.com` that may call. The check throws RequestError `origin_not_allowed`.
 */
export function createOriginCheck(listed: readonly string[]): (header: (name: string) => string | undefined) => void {
  return (header) => {
    const origin = header('origin');
    if (origin === undefined || listed.includes(origin)) return;
    // HTTP/2 has no `Host`.
    const host = header('host') ?? header(':authority');
    if (host === undefined || !isOwn(origin, host)) throw new RequestError('origin_not_allowed');
  };
}

function isOwn(origin: string, host: string): boolean {
  if (!isOrigin(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  const own = `${protocol}//${host}`;
  if (!URL.canParse(own) || new URL(own).origin !== origin) return false;
  return protocol === 'https:' || LOOPBACK.includes(hostname);
}

/** Whether a text is the origin of a web page, as browsers write origins. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
