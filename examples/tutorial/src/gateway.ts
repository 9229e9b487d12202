import { type AuthenticatedRequest, createGateway, type Gateway } from '@searchgate/core';
import type { Request } from 'express';
import { ledger } from './ledger.js';
import { provider } from './provider.js';

/** Budget in USD, and rate limit. */
const PLANS = {
  trial: { limit: '0.01', limitReset: 'daily', rateLimit: { requests: 10, periodMs: 60_000 } },
  paid: { limit: '5.00', limitReset: 'monthly', rateLimit: { requests: 20, periodMs: 3_600_000 } },
} as const;

/** What the login keeps in the session. Leave it out if your application declares its own. */
declare module 'express-session' {
  interface SessionData {
    user: { readonly id: string; readonly name: string; readonly plan: keyof typeof PLANS };
  }
}

export const gateway: Gateway<Request> = createGateway({
  providers: [provider],
  ledger,
  endpoints: { usage: true },
  authenticate(_token, { host: request }: AuthenticatedRequest<Request>) {
    const user = request?.session.user;
    if (user === undefined) return null;
    return { id: `user-${user.id}`, organizationId: 'my-app', label: user.name, ...PLANS[user.plan] };
  },
});
