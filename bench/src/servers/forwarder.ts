import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { type Host, listenOnLoopback, readSettings, upstreamOrigin } from './settings.js';

const settings = readSettings();
const pool = new Pool(upstreamOrigin(settings));
const providerHeaders = { 'content-type': 'application/json', 'x-api-key': 'exa-key' };
const models = readFileSync(settings.modelsFile ?? '');
const modelsHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': models.length,
  etag: '"models"',
};

interface Question {
  readonly model: string;
  readonly query: string;
}

interface ExaReply {
  readonly answer: string;
  readonly citations: readonly { readonly title: string | null; readonly url: string }[];
  readonly costDollars: { readonly total: number };
}

/** All that a forwarder does: ask the provider over undici and map the reply. No keys, no money, no checks beyond the status. */
async function forward({ model, query }: Question): Promise<object> {
  const question = JSON.stringify({ query, text: false, stream: false });
  const options = { method: 'POST', path: '/answer', headers: providerHeaders, body: question } as const;
  const { statusCode, body } = await pool.request(options);
  if (statusCode !== 200) throw new Error(`the provider answered ${statusCode}`);
  const { answer: text, citations, costDollars } = (await body.json()) as ExaReply;
  return {
    id: `ans_${randomUUID()}`,
    model,
    provider: 'exa',
    answer: text,
    citations: citations.map(({ title, url }) => ({ title: title ?? new URL(url).hostname, url, snippet: '' })),
    usage: { cost: costDollars.total },
  };
}

/** The fastest a host can serve a list: a prebuilt buffer, straight to node's response. */
function writeModels(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, modelsHeaders).end(models);
}

/** The floor: nothing between the caller and the provider but Node's own server. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const reply = JSON.stringify(await forward(JSON.parse(Buffer.concat(chunks).toString()) as Question));
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) })
    .end(reply);
}

/** In a framework: what a team would write by hand. */
const hosts: Record<Host, () => Promise<Server>> = {
  async node() {
    return createServer((request, response) => {
      if (request.url === '/api/v1/models') writeModels(request, response);
      else if (request.url === '/api/v1/answer') answer(request, response).catch(() => response.writeHead(500).end());
      else response.writeHead(404).end();
    });
  },
  async express() {
    const { default: express } = await import('express');
    const app = express();
    app.use(express.json());
    app.post('/api/v1/answer', async (request, response) => {
      response.json(await forward(request.body as Question));
    });
    app.get('/api/v1/models', writeModels);
    return createServer(app);
  },
  async koa() {
    const [{ default: Koa }, { bodyParser }] = await Promise.all([import('koa'), import('@koa/bodyparser')]);
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
    const handle = app.callback();
    return createServer((request, response) => void handle(request, response));
  },
};

listenOnLoopback(await hosts[settings.host]());
