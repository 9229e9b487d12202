import type { Gateway } from '@searchgate/core';
import { handleNode, stripMountPath } from '@searchgate/core/node';
import { type EventHandler, fromNodeHandler } from 'h3';

/** What `middleware/search.ts` of a Nitro 3 application exports as its default. */
export function middleware(gateway: Gateway): EventHandler {
  const below = stripMountPath('/search');
  return fromNodeHandler(async (req, res, next) => {
    if (!(await handleNode(gateway, { req, res, target: below(req.url ?? '') }))) next();
  });
}
