import type { AnswerBody, ErrorEnvelope, NanoUsd } from '@searchgate/core';
import type { TestKey } from './accounts.js';
import type { ServerProcess } from './gateway-process.js';

/** One call of a caller. */
export interface Call {
  readonly key: TestKey;
  readonly question: string;
  readonly model: string;
  readonly idempotencyKey?: string;
}

/** A completely received answer: the ledger must record it forever. */
export interface AcknowledgedAnswer {
  readonly call: Call;
  readonly id: string;
  readonly cost: NanoUsd;
  readonly model: string;
  /** Replayed under an idempotency key. */
  readonly replayed: boolean;
  readonly body: string;
}

export type Outcome =
  | { readonly status: 'answered'; readonly answer: AcknowledgedAnswer }
  | { readonly status: 'refused'; readonly code: number; readonly reason: string }
  /** Unknown outcome. */
  | { readonly status: 'lost'; readonly error: string };

/** Makes one call of a gateway, without retry. Never rejects: a broken connection is an outcome. */
export async function ask({ http }: ServerProcess, call: Call): Promise<Outcome> {
  const { key, question, model, idempotencyKey } = call;
  try {
    const { statusCode, headers, body } = await http.request({
      method: 'POST',
      path: '/api/v1/answer',
      headers: {
        authorization: `Bearer ${key.secret}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ model, query: question }),
    });
    const text = await body.text();
    if (statusCode !== 200) {
      return { status: 'refused', code: statusCode, reason: (JSON.parse(text) as ErrorEnvelope).error.reason };
    }
    const answer = JSON.parse(text) as AnswerBody;
    const replayed = headers['idempotent-replayed'] === 'true';
    // Exact, since at most nine decimals are printed.
    const cost = BigInt(Math.round(answer.usage.cost * 1e9));
    return { status: 'answered', answer: { call, id: answer.id, model: answer.model, cost, replayed, body: text } };
  } catch (error) {
    return { status: 'lost', error: error instanceof Error ? error.message : String(error) };
  }
}
