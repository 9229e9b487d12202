import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AnswerOutcome,
  type CallContext,
  type Citation,
  openUpstream,
  type PartFields,
  type PartResults,
  type Provider,
  type ProviderQuestion,
  type TextMarker,
} from '@searchgate/core/provider-kit';
import { type ComposedModel, composed } from '../src/index.js';

type Reply = (response: ServerResponse, body: ChatRequest, request: IncomingMessage) => void;

/** What the adapter sends. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly stream_options?: object;
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** A loopback server in the form of OpenAI's API. */
export async function startChat(reply: Reply) {
  const requests: { body: ChatRequest; headers: IncomingMessage['headers']; path: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const body = JSON.parse(text) as ChatRequest;
      requests.push({ body, headers: request.headers, path: request.url });
      reply(response, body, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const USAGE = { prompt_tokens: 1_200, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 200 } };

const HEAD = { id: 'chat-1', model: 'm-2026' };

interface Saying {
  readonly usage?: object | null;
  readonly finish?: string;
  readonly pieceLength?: number;
}

/** A whole reply. */
export function completion(text: string, { finish = 'stop', usage = USAGE }: Saying = {}): string {
  const choices = [{ message: { role: 'assistant', content: text }, finish_reason: finish }];
  return JSON.stringify({ ...HEAD, choices, ...(usage && { usage }) });
}

/** Says a text, whole or in pieces as the request wants. */
export function saying(text: string, { usage = USAGE, finish = 'stop', pieceLength = 7 }: Saying = {}): Reply {
  return (response, { stream }) => {
    if (!stream) {
      response.setHeader('content-type', 'application/json').end(completion(text, { finish, usage }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (chunk: object) => response.write(`data: ${JSON.stringify({ ...HEAD, ...chunk })}\n\n`);
    for (let at = 0; at < text.length; at += pieceLength)
      send({ choices: [{ index: 0, delta: { content: text.slice(at, at + pieceLength) } }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
    if (usage !== null) send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  };
}

type Scripted = {
  readonly [Kind in keyof PartFields]?: (model: string, fields: PartFields[Kind]) => readonly PartResults[Kind][];
};

/** A context whose parts answer by a script, which may throw. Keeps what was asked. */
export function scripted(script: Scripted, timeoutMs = 10_000) {
  const upstream = openUpstream();
  const attempt = upstream.begin(timeoutMs);
  const asked: { kind: string; model: string; fields: object }[] = [];
  const context: CallContext = {
    upstream: attempt.upstream,
    get signal() {
      return attempt.signal;
    },
    run: async (kind, model, fields) => {
      asked.push({ kind, model, fields });
      return Promise.resolve(script[kind]?.(model, fields) ?? []);
    },
  };
  const close = () => {
    attempt.end();
    return upstream.close();
  };
  return { context, asked, close };
}

export const page = (url: string, snippet: string, title = 'A page'): PartResults['search'] => ({
  url,
  title,
  snippet,
  content: null,
});

/** What a caller would see. */
export interface Seen {
  readonly outcome: AnswerOutcome;
  /** What was streamed. */
  readonly text: string;
  readonly markers: readonly TextMarker[];
  readonly citations: readonly Citation[];
}

export interface Ask {
  readonly baseUrl: string;
  readonly script: Scripted;
  readonly model?: Partial<ComposedModel> | undefined;
  readonly call?: Partial<ProviderQuestion> | undefined;
  readonly isLive?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
}

export function providerFor({ baseUrl, model = {} }: Pick<Ask, 'baseUrl' | 'model'>): Provider {
  const chat = { baseUrl, model: 'm', ...model.chat };
  return composed({ id: 'ask', models: { brief: { search: 'web/search', ...model, chat } } });
}

/** Asks a composed model once. */
export async function ask({
  baseUrl,
  script,
  model,
  call,
  isLive = false,
  timeoutMs,
}: Ask): Promise<Seen & { asked: object[] }> {
  const { models, answer } = providerFor({ baseUrl, model });
  const [row] = models;
  if (row === undefined || answer === undefined) throw new Error('no model');
  const { context, asked, close } = scripted(script, timeoutMs);
  let text = '';
  const markers: TextMarker[] = [];
  let citations: readonly Citation[] = [];
  const live = {
    citations: (list: readonly Citation[]) => void (citations = list),
    text: (part: string, given: readonly TextMarker[] = []) => {
      markers.push(
        ...given.map(({ start, end, position }) => ({ start: start + text.length, end: end + text.length, position })),
      );
      text += part;
    },
  };
  const question = { model: row, query: 'When did the Zephyr Bridge open?', ...call };
  try {
    const outcome = await (isLive ? answer.stream?.(question, context, live) : answer.answer(question, context));
    if (outcome === undefined) throw new Error('no outcome');
    return { outcome, text, markers, citations, asked };
  } finally {
    await close();
  }
}
