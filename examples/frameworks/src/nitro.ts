import type { Gateway } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';
import { fromNodeHandler } from 'h3';

/** What `middleware/search.ts` of a Nitro 3 application exports as its default. */
export function middleware(gateway: Gateway) {
  return fromNodeHandler(gatewayRouter(gateway, { prefix: '/search' }));
}
