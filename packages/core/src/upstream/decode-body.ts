import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

type Decoder = (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Whether a reply came as it is. Ours always should, because requests ask for `identity`; some proxies compress regardless. */
export function isPlain(contentEncoding: string): boolean {
  return contentEncoding === '' || contentEncoding.toLowerCase() === 'identity';
}

/**
 * Undoes a reply's one content coding, off the event loop.
 *
 * @throws Error for an unknown coding, a broken or cut stream, or more than `maxBytes` of output.
 */
export function decompress(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const decode = DECODERS.get(contentEncoding.toLowerCase());
  if (decode === undefined) return Promise.reject(new Error(`unknown content-encoding "${contentEncoding}"`));
  return decode(body, { maxOutputLength: maxBytes });
}

/** UTF-8, without a byte order mark; broken sequences become U+FFFD. */
export function decodeText(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
