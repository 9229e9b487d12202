import { createServer } from 'node:http';
import { handleNode } from '@searchgate/core/node';
import { fullGateway } from './full-gateway.js';
import { announceWhenListening } from './server-settings.js';

const gateway = fullGateway();
const server = createServer((req, res) => {
  void handleNode(gateway, { req, res }).then((ours) => {
    if (!ours) res.writeHead(404).end();
  });
});
announceWhenListening(server);
server.listen(0, '127.0.0.1');
