import { bodyParser } from '@koa/bodyparser';
import Koa from 'koa';
import { forward, type Question } from './forward.js';
import { writeModels } from './models-buffer.js';
import { announceWhenListening } from './server-settings.js';

/** What a team would write by hand in Koa. */
const app = new Koa();
app.use(bodyParser());
app.use(async (context) => {
  if (context.method === 'POST' && context.path === '/api/v1/answer') {
    context.body = await forward(context.request.body as Question);
  } else if (context.method === 'GET' && context.path === '/api/v1/models') {
    context.respond = false;
    writeModels(context.req, context.res);
  }
});

announceWhenListening(app.listen(0, '127.0.0.1'));
