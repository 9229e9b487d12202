import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createEmbedder } from './embedder.js';
import { createModelServer } from './model-server.js';

const server = createModelServer({ embedder: createEmbedder() });
server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`The model listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
