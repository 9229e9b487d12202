import { type Gateway, toFetchHandler } from '@searchgate/core';
import { handleNode, stripMountPath } from '@searchgate/core/node';
import { coreHost, fetchHost, nodeHost } from '../src/index.js';
import { keyPathSuite } from './adapter/key-path-suite.js';

/** Over node:http, without a framework. */
function overNode(prefix: string) {
  const strip = stripMountPath(prefix);
  return (gateway: Gateway) =>
    nodeHost(async (req, res) => {
      if (!(await handleNode(gateway, { req, res, target: strip(req.url ?? '') }))) res.writeHead(404).end();
    });
}

keyPathSuite('', coreHost);
for (const prefix of ['', '/search']) {
  keyPathSuite(prefix, overNode(prefix));
  keyPathSuite(prefix, (gateway) => fetchHost(toFetchHandler(gateway, { prefix })));
}
