import type { Gateway } from '@searchgate/core';
import { handleNode, stripMountPath } from '@searchgate/core/node';
import { type EventHandler, fromNodeHandler } from 'h3';

/** The default export of `middleware/search.ts` in a Nitro 3 application. */
export function middleware(gateway: Gateway): EventHandler {
  const below = stripMountPath('/search');
  return fromNodeHandler(async (req, res, next) => {
    if (!(await handleNode(gateway, { req, res, target: below(req.url ?? '') }))) next();
  });
}
