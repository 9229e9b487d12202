import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import express, { Router } from 'express';
import session from 'express-session';

const hash = (password: string) => scryptSync(password, 'the-salt-of-this-tutorial', 32);

/** Replace with your users. */
const users = [
  { user: { id: '1', name: 'alice', plan: 'paid' }, hash: hash('wonderland') },
  { user: { id: '2', name: 'bob', plan: 'trial' }, hash: hash('builder') },
] as const;

export const login: Router = Router();

login.use(
  session({
    secret: process.env['SESSION_SECRET'] ?? randomBytes(32).toString('hex'),
    resave: false,
    saveUninitialized: false,
    // Lax: other sites cannot send the cookie with a POST, and spend a user's budget.
    cookie: { httpOnly: true, sameSite: 'lax' },
  }),
);

login.post('/login', express.urlencoded(), (request, response, next) => {
  const { name, password } = request.body as { name?: unknown; password?: unknown };
  const known = users.find(({ user }) => user.name === name);
  if (known === undefined || !timingSafeEqual(known.hash, hash(String(password)))) {
    response.status(401).send('Wrong name or password.');
    return;
  }
  // A session id from before the login must be worthless.
  request.session.regenerate((error) => {
    if (error) {
      next(error);
      return;
    }
    request.session.user = known.user;
    response.redirect('/ask.html');
  });
});
