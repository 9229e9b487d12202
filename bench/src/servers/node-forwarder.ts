import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { forward, type Question } from './forward.js';
import { writeModels } from './models-buffer.js';
import { announceWhenListening } from './server-settings.js';

/** The floor: nothing between the caller and the provider but Node's own server. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const reply = JSON.stringify(await forward(JSON.parse(Buffer.concat(chunks).toString()) as Question));
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) })
    .end(reply);
}

const server = createServer((request, response) => {
  if (request.url === '/api/v1/models') writeModels(request, response);
  else if (request.url === '/api/v1/answer') answer(request, response).catch(() => response.writeHead(500).end());
  else response.writeHead(404).end();
});
announceWhenListening(server);
server.listen(0, '127.0.0.1');
