import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { DIALECTS, FLAT, PRICE_NANOS, type UpstreamQuestion } from './upstream-dialects.js';

/** One call that reached the upstream. */
export interface UpstreamCall extends UpstreamQuestion {
  /** The reported cost, unique for each call. `null` for a model with a flat price. */
  readonly reported: bigint | null;
}

/** The upstream of all gateways of a scenario. It runs in the test process, so its records survive every kill. */
export interface QuestionServer {
  readonly url: string;
  /** Every call, in the order of arrival. */
  readonly calls: readonly UpstreamCall[];
  callsFor(question: string): number;
  /** Resolves when the question has arrived `count` times. */
  asked(question: string, count?: number): Promise<void>;
  /** Holds calls with this question until the returned function is called. */
  hold(question: string): () => void;
  close(): Promise<void>;
}

/** @param delayMs duration of each answer. */
export async function startQuestionServer(delayMs: () => number = () => 0): Promise<QuestionServer> {
  const calls: UpstreamCall[] = [];
  const gates = new Map<string, Promise<void>>();
  const waiting = new Set<() => void>();
  const callsFor = (question: string) => calls.filter((call) => call.question === question).length;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const dialect = DIALECTS[request.url ?? ''];
    if (dialect === undefined) throw new Error(`no provider has the path ${request.url}`);
    const { model, question } = dialect.read(await json(request));
    const nanos = model === FLAT ? undefined : PRICE_NANOS - 1 - calls.length;
    calls.push({ model, question, reported: nanos === undefined ? null : BigInt(nanos) });
    for (const check of waiting) check();
    await gates.get(question);
    const delay = delayMs();
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(dialect.reply(question, nanos)));
  }

  const server = createServer((request, response) => {
    // A killed gateway leaves a broken connection: expected here.
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    callsFor,
    asked: (question, count = 1) =>
      new Promise((resolve) => {
        const check = () => {
          if (callsFor(question) < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    hold(question) {
      let open = (): void => undefined;
      gates.set(question, new Promise<void>((resolve) => (open = resolve)));
      return open;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
