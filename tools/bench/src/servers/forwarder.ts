import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { PassThrough, type Writable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { type Client, type Host, listenOnLoopback, readSettings } from './settings.js';

const { host, upstreamOrigin, uses } = readSettings();
const pool = new Pool(upstreamOrigin);
const providerHeaders = { 'content-type': 'application/json', 'x-api-key': 'exa-key' };
const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };

interface Question {
  readonly model: string;
  readonly query: string;
  readonly stream?: boolean;
}

interface ExaReply {
  readonly answer: string;
  readonly citations: readonly { readonly title: string | null; readonly url: string }[];
  readonly costDollars: { readonly total: number };
}

interface ExaChunk extends Partial<Pick<ExaReply, 'citations' | 'costDollars'>> {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}
type BodyReadable = Dispatcher.ResponseData['body'];

/** The client asks alone: the vendor's SDK and `fetch` as their documentation has them. Each is loaded only by its server. */
const clients: Record<Client, () => Promise<(query: string) => Promise<ExaReply>>> = {
  undici: async () => async (query) => (await ask(query, false)).json() as Promise<ExaReply>,
  fetch: async () => async (query) => {
    const body = JSON.stringify({ query, text: false });
    const reply = await fetch(`${upstreamOrigin}/answer`, { method: 'POST', headers: providerHeaders, body });
    if (!reply.ok) throw new Error(`the provider answered ${reply.status}`);
    return reply.json() as Promise<ExaReply>;
  },
  async 'exa-js'() {
    const { Exa } = await import('exa-js');
    const exa = new Exa('exa-key', upstreamOrigin);
    return (query) => exa.answer(query, { text: false }) as Promise<ExaReply>;
  },
};
const askOnce = await clients[(uses ?? 'undici') as Client]();

/** The whole work of a forwarder: calls the provider and maps the reply. No keys, no money, no checks except the status. */
async function forward({ model, query }: Question): Promise<object> {
  const { answer: text, citations, costDollars } = await askOnce(query);
  const head = { id: `ans_${randomUUID()}`, model, provider: 'exa' };
  return { ...head, answer: text, citations: citations.map(present), usage: { cost: costDollars.total } };
}

async function ask(query: string, stream: boolean): Promise<BodyReadable> {
  const question = JSON.stringify({ query, text: false, stream });
  const options = { method: 'POST', path: '/answer', headers: providerHeaders, body: question } as const;
  const { statusCode, body } = await pool.request(options);
  if (statusCode !== 200) throw new Error(`the provider answered ${statusCode}`);
  return body;
}

function present({ title, url }: ExaReply['citations'][number]): object {
  return { title: title ?? new URL(url).hostname, url, snippet: '' };
}

/** The same for a stream, event by event. */
async function forwardStream({ model }: Question, body: BodyReadable, response: Writable): Promise<void> {
  const head = { id: `ans_${randomUUID()}`, model, provider: 'exa' };
  let [whole, rest, cost] = ['', '', 0];
  let citations: object[] = [];
  const send = (event: string, data: object) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  send('start', head);
  const decoder = new TextDecoder();
  for await (const piece of body) {
    const events = (rest + decoder.decode(piece as Buffer, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (event === 'data: [DONE]') continue;
      const chunk = JSON.parse(event.slice('data: '.length)) as ExaChunk;
      if (chunk.citations !== undefined) {
        citations = chunk.citations.map(present);
        send('citations', { citations });
      }
      cost = chunk.costDollars?.total ?? cost;
      const text = chunk.choices[0]?.delta.content ?? '';
      whole += text;
      if (text !== '') send('delta', { text });
    }
  }
  send('done', { ...head, answer: whole, citations, usage: { cost } });
  response.end();
}

/** Writes to node's response directly. */
async function answerStream(question: Question, response: ServerResponse): Promise<void> {
  const body = await ask(question.query, true);
  await forwardStream(question, body, response.writeHead(200, streamHeaders));
}

/** The baseline: only Node's own server between caller and provider. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const question = JSON.parse(Buffer.concat(chunks).toString()) as Question;
  if (question.stream) return answerStream(question, response);
  const reply = JSON.stringify(await forward(question));
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) })
    .end(reply);
}

/** In a framework, as a team would write it by hand. */
const hosts: Record<Host, () => Promise<Server>> = {
  async node() {
    return createServer((request, response) => {
      if (request.url === '/api/v1/answer') answer(request, response).catch(() => response.writeHead(500).end());
      else response.writeHead(404).end();
    });
  },
  async express() {
    const { default: express } = await import('express');
    const app = express();
    app.use(express.json());
    app.post('/api/v1/answer', async (request, response) => {
      const question = request.body as Question;
      if (question.stream) await answerStream(question, response);
      else response.json(await forward(question));
    });
    return createServer(app);
  },
  async koa() {
    const [{ default: Koa }, { bodyParser }] = await Promise.all([import('koa'), import('@koa/bodyparser')]);
    const app = new Koa();
    app.use(bodyParser());
    app.use(async (context) => {
      if (context.method === 'POST' && context.path === '/api/v1/answer') {
        const question = context.request.body as Question;
        if (question.stream) {
          const body = await ask(question.query, true);
          context.set(streamHeaders);
          void forwardStream(question, body, (context.body = new PassThrough()));
        } else context.body = await forward(question);
      }
    });
    const handle = app.callback();
    return createServer((request, response) => void handle(request, response));
  },
};

listenOnLoopback(await hosts[host]());
