import { type Gateway, isRequestError } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import { helpPage } from './help-page.js';
import { identityOf } from './search-gateway.js';
import type { Sessions } from './sessions.js';
import type { User, Users } from './users.js';

export interface AppOptions {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly gateway: Gateway;
}

/** An application with users, sessions, a body parser, routes and an error handler of its own. The gateway is one line of it. */
export function buildApp({ users, sessions, gateway }: AppOptions): Express {
  const app = express();
  app.use(express.json());

  app.post('/login', (request, response) => {
    const { name, password } = request.body as { name?: unknown; password?: unknown };
    const user = users.byPassword(String(name), String(password));
    if (user === undefined) response.status(401).json({ oops: 'Wrong name or password.' });
    else response.set('Set-Cookie', sessions.begin(user)).json({ welcome: user.name });
  });

  app.post('/logout', (request, response) => {
    response.set('Set-Cookie', sessions.end(request.headers.cookie)).json({ goodbye: true });
  });

  app.get('/account', (request, response) => {
    response.json(requireUser(sessions, request));
  });

  // The whole of what had to be added: the gateway's endpoints are at /search/api/v1/….
  app.use('/search', gatewayRouter(gateway));

  // And the same gateway without HTTP, for a page that is made on the server. What it costs is the reader's.
  app.get('/help', async (request, response) => {
    const user = requireUser(sessions, request);
    const question = typeof request.query['q'] === 'string' ? request.query['q'] : '';
    response.type('html').send(await help(gateway, user, question));
  });

  app.use((_request, response) => {
    response.status(404).json({ oops: 'No such page.' });
  });
  app.use(handleError);
  return app;
}

async function help(gateway: Gateway, user: User, question: string): Promise<string> {
  if (question.trim() === '') return helpPage({ question });
  try {
    const answer = await gateway.answer({ apiKey: identityOf(user), model: 'local/docs', query: question });
    return helpPage({ question, answer });
  } catch (error) {
    if (!isRequestError(error)) throw error;
    return helpPage({ question, problem: error.message });
  }
}

/** Errors of the application's own routes. The gateway answers its own and never comes here. */
// oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
const handleError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const status = error instanceof NotLoggedIn ? 401 : 500;
  response.status(status).json({ oops: status === 401 ? 'Please log in.' : 'Something broke.' });
};

class NotLoggedIn extends Error {}

function requireUser(sessions: Sessions, request: Request): User {
  const user = sessions.userOf(request.headers.cookie);
  if (user === undefined) throw new NotLoggedIn();
  return user;
}
