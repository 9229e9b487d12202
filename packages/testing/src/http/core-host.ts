import type { GatewayResponse, MountableGateway } from '@searchgate/core';
import type { HttpUnderTest, WireRequest, WireResponse } from './wire.js';

/** Calls a gateway itself, without any transport. Use it with `sockets: false`. */
export function coreHost(gateway: MountableGateway): HttpUnderTest {
  return {
    send: (request) => ({
      response: call(gateway, request),
      disconnect: () => Promise.reject(new Error('there is no connection to close')),
    }),
    stop: () => Promise.resolve(),
  };
}

async function call(gateway: MountableGateway, { method, target, headers, body }: WireRequest): Promise<WireResponse> {
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
  return response === undefined ? { status: 404, headers: {}, body: Buffer.alloc(0) } : toWireResponse(response);
}

function toWireResponse({ status, headers, body }: GatewayResponse): WireResponse {
  if (typeof body === 'object' && body !== null && 'pipeTo' in body) throw new Error('a stream needs a transport');
  return { status, headers, body: Buffer.from(body ?? '') };
}
