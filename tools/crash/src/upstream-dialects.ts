/** A question of a provider to the question server. */
export interface UpstreamQuestion {
  readonly model: string;
  readonly question: string;
}

/** A protocol for questions and answers over HTTP. */
export interface Dialect {
  read(body: unknown): UpstreamQuestion;
  /** @param reportedNanos cost of the call; absent for a flat price. */
  reply(question: string, reportedNanos?: number): object;
}

/** The price of every model of these tests, and the highest reported cost of a metered call. */
export const PRICE_NANOS = 5_000_000;
export const FLAT = 'loopback/flat';
export const METERED = 'loopback/metered';
export const EXA = 'exa/answer';

/** A reply to the workers' loopback provider. */
export interface LoopbackReply {
  readonly answer: string;
  readonly reportedNanos?: number;
}

const loopback: Dialect = {
  read: (body) => body as UpstreamQuestion,
  reply: (question, reportedNanos): LoopbackReply => ({
    answer: `About ${question}.`,
    ...(reportedNanos !== undefined && { reportedNanos }),
  }),
};

/** Exa's protocol, for servers that are not workers. */
const exa: Dialect = {
  read: (body) => ({ model: EXA, question: (body as { readonly query: string }).query }),
  reply: (question, reportedNanos = PRICE_NANOS) => ({
    requestId: 'crash-test',
    answer: `About ${question} [1].`,
    citations: [{ id: 'https://example.org/', title: 'Example', url: 'https://example.org/' }],
    costDollars: { total: reportedNanos / 1e9 },
  }),
};

/** By request path. */
export const DIALECTS: Readonly<Record<string, Dialect>> = { '/': loopback, '/answer': exa };
