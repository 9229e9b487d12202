import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { upstreamOrigin } from './server-settings.js';

/** What the caller sends. */
export interface Question {
  readonly model: string;
  readonly query: string;
}

interface ExaReply {
  readonly answer: string;
  readonly citations: readonly { readonly title: string | null; readonly url: string }[];
  readonly costDollars: { readonly total: number };
}

const pool = new Pool(upstreamOrigin());
const headers = { 'content-type': 'application/json', 'x-api-key': 'exa-key' };

/** All that a forwarder does: ask the provider over undici and map the reply. No keys, no money, no checks beyond the status. */
export async function forward({ model, query }: Question): Promise<object> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/answer',
    headers,
    body: JSON.stringify({ query, text: false, stream: false }),
  });
  if (statusCode !== 200) throw new Error(`the provider answered ${statusCode}`);
  return toAnswer(model, (await body.json()) as ExaReply);
}

function toAnswer(model: string, reply: ExaReply): object {
  return {
    id: `ans_${randomUUID()}`,
    model,
    provider: 'exa',
    answer: reply.answer,
    citations: reply.citations.map(({ title, url }) => ({ title: title ?? new URL(url).hostname, url, snippet: '' })),
    usage: { cost: reply.costDollars.total },
  };
}
