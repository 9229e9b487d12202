import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import type { User } from './users.js';

declare module 'express-session' {
  interface SessionData {
    /** Who is logged in. */
    user: User;
  }
}

/** The application's sessions, kept in memory by express-session, which puts them into `request.session`. */
export function sessions(): RequestHandler {
  return session({
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    // Lax: the browser sends no cookie along with a POST from another site, so no other page can spend a user's credits.
    cookie: { httpOnly: true, sameSite: 'lax' },
  });
}

/** Begins a session under a new id, so that an id from before the login is worth nothing. */
export async function beginSession(request: Request, user: User): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    request.session.regenerate((error: Error | null | undefined) => (error == null ? resolve() : reject(error)));
  });
  request.session.user = user;
}

export async function endSession(request: Request): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    request.session.destroy((error: Error | null | undefined) => (error == null ? resolve() : reject(error)));
  });
}
