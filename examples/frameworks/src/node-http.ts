import { createServer, type Server } from 'node:http';
import type { Gateway } from '@searchgate/core';
import { handleNode, stripMountPath } from '@searchgate/core/node';

/** Plain node:http. */
export function buildServer(gateway: Gateway): Server {
  const below = stripMountPath('/search');
  return createServer((req, res) => {
    const target = below(req.url ?? '');
    void handleNode(gateway, { req, res, target }).then((isServed) => {
      if (!isServed) res.writeHead(404).end();
    });
  });
}
