import type { GatewayResponse, MountableGateway } from '@searchgate/core';
import type { StreamedBody } from '@searchgate/core/node';
import { type ArrivingBody, arrivingBody } from './arriving-body.js';
import type { HttpUnderTest, WireRequest, WireResponse } from './wire.js';

/** Calls a gateway directly, without a transport. Use it with `sockets: false`. */
export function coreHost(gateway: MountableGateway): HttpUnderTest {
  return {
    send(request) {
      const arriving = arrivingBody();
      return {
        response: call(gateway, request, arriving),
        received: (text) => arriving.received(text),
        disconnect: () => Promise.reject(new Error('there is no connection to close')),
      };
    },
    stop: () => Promise.resolve(),
  };
}

async function call(
  gateway: MountableGateway,
  { method, target, headers, body }: WireRequest,
  arriving: ArrivingBody,
): Promise<WireResponse> {
  const [path = '', query = ''] = target.split('?');
  const bytes = Buffer.concat(body?.chunks ?? []);
  const length: Record<string, string> = body === null ? {} : { 'content-length': String(bytes.byteLength) };
  const response = await gateway.handle({
    method,
    path,
    query,
    header: (name) => headers[name] ?? length[name],
    readBody: () => Promise.resolve({ bytes }),
    disconnected: false,
  });
  return response === undefined
    ? { status: 404, headers: {}, body: Buffer.alloc(0) }
    : toWireResponse(response, arriving);
}

async function toWireResponse(
  { status, headers, body }: GatewayResponse,
  arriving: ArrivingBody,
): Promise<WireResponse> {
  const isStream = typeof body === 'object' && body !== null && 'pipeTo' in body;
  if (isStream) await collect(body, arriving);
  return { status, headers, body: isStream ? arriving.bytes() : Buffer.from(body ?? '') };
}

function collect(body: StreamedBody, arriving: ArrivingBody): Promise<void> {
  return new Promise((resolve, reject) => {
    body.pipeTo({
      write: (text) => arriving.push(Buffer.from(text)),
      end: resolve,
      destroy: () => reject(new Error('the gateway has closed the stream')),
      bufferedBytes: 0,
      isClosed: false,
    });
  });
}
