import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * A port of 127.0.0.1 that was just free. Another process may take the port before the server does, so callers retry with another
 * port.
 */
export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
