import { type Gateway, isRequestError, type LocalApi } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import { helpPage } from './help-page.js';
import { identityOf } from './search-gateway.js';
import { beginSession, endSession, sessions } from './sessions.js';
import type { User, Users } from './users.js';

export interface AppOptions {
  readonly users: Users;
  readonly gateway: Gateway<Request>;
}

/** An application with users, sessions, a body parser, routes and an error handler of its own. The gateway is one line of it. */
export function buildApp({ users, gateway }: AppOptions): Express {
  const app = express();
  app.use(express.json(), sessions());

  app.post('/login', async (request, response) => {
    const { name, password } = request.body as { name?: unknown; password?: unknown };
    const user = users.byPassword(String(name), String(password));
    if (user === undefined) {
      response.status(401).json({ oops: 'Wrong name or password.' });
      return;
    }
    await beginSession(request, user);
    response.json({ welcome: user.name });
  });

  app.post('/logout', async (request, response) => {
    await endSession(request);
    response.json({ goodbye: true });
  });

  app.get('/account', (request, response) => {
    response.json(requireUser(request));
  });

  // The whole of what had to be added: the gateway's endpoints are at /search/api/v1/….
  app.use('/search', gatewayRouter(gateway));

  // And the same gateway without HTTP, for a page that is made on the server. What it costs is the reader's.
  app.get('/help', async (request, response) => {
    const user = requireUser(request);
    const question = typeof request.query['q'] === 'string' ? request.query['q'] : '';
    response.type('html').send(await help(gateway, user, question));
  });

  app.use((_request, response) => {
    response.status(404).json({ oops: 'No such page.' });
  });
  app.use(handleError);
  return app;
}

async function help(gateway: LocalApi, user: User, question: string): Promise<string> {
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

function requireUser({ session: { user } }: Request): User {
  if (user === undefined) throw new NotLoggedIn();
  return user;
}
