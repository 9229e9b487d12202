/** What a provider asks the question server. */
export interface UpstreamQuestion {
  readonly model: string;
  readonly question: string;
}

/** A way to ask and to be answered over HTTP. */
export interface Dialect {
  read(body: unknown): UpstreamQuestion;
  /** @param reportedNanos what the call cost; absent for a flat price. */
  reply(question: string, reportedNanos?: number): object;
}

/** The price of every model of these tests, and the most a metered call is reported to cost. */
export const PRICE_NANOS = 5_000_000;
export const FLAT = 'loopback/flat';
export const METERED = 'loopback/metered';
export const EXA = 'exa/answer';

/** What the loopback provider of our own workers gets. */
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

/** As Exa is asked and answers: for servers that know nothing of these tests. */
const exa: Dialect = {
  read: (body) => ({ model: EXA, question: (body as { readonly query: string }).query }),
  reply: (question, reportedNanos = PRICE_NANOS) => ({
    requestId: 'crash-test',
    answer: `About ${question} [1].`,
    citations: [{ id: 'https://example.org/', title: 'Example', url: 'https://example.org/' }],
    costDollars: { total: reportedNanos / 1e9 },
  }),
};

/** By the path that is asked. */
export const DIALECTS: Readonly<Record<string, Dialect>> = { '/': loopback, '/answer': exa };
