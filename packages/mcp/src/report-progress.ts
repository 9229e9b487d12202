import type { ExtensionRequest, JsonObject } from '@searchgate/core/extensions';
import { isRequestId, type RequestId, type RpcRequest, unrepeatable } from './json-rpc.js';
import { metaOf } from './versions.js';

const EVERY_SECONDS = 5;

/** The token by which a client wants to hear of the progress of a tool; `undefined` for none. @throws ProtocolError for a number that events cannot repeat. */
export function progressTokenOf(request: RpcRequest): RequestId | undefined {
  const token = metaOf(request)['progressToken'];
  if (typeof token === 'number' && !isRequestId(token)) throw unrepeatable('progressToken');
  // A long token would be sent many times.
  if (request.method !== 'tools/call' || !isRequestId(token) || String(token).length > 256) return undefined;
  return token;
}

/** Notifies now and every 5 seconds: clients that wait longer after a notification then keep a call that is charged. @returns a function that ends it. */
export function reportProgress(
  progressToken: RequestId,
  clock: Pick<ExtensionRequest['clock'], 'schedule'>,
  notify: (message: JsonObject) => void,
): () => void {
  let progress = 0;
  let cancel = (): void => undefined;

  function report(): void {
    const message = `The provider has been working for ${progress} s.`;
    notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, message } });
    progress += EVERY_SECONDS;
    cancel = clock.schedule(EVERY_SECONDS * 1_000, report, 'background');
  }

  report();
  return () => cancel();
}
