import type { FakeClock } from '@searchgate/testing';
import { expect } from 'vitest';
import type { Gateway } from '../src/index.js';
import type { Form } from './money-forms.js';

/** A call that a test makes. */
export interface FormCall {
  readonly form: Form;
  readonly query: string;
  readonly tag: string;
  readonly apiKey: string;
  readonly idempotencyKey: string | undefined;
  /** `Cache-Control`. */
  readonly cache: string | undefined;
  readonly hangsUpAfterMs: number | null;
  /** Called for each part of a stream. */
  readonly onPart?: () => void;
}

/** A reply as its caller saw it. */
export interface FormReply {
  readonly status: number;
  /** The body, or all events. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the caller went away before the end. */
  readonly hasLeft: boolean;
}

/** Makes a call as a server hands it over. */
export async function makeCall({ handle }: Gateway, clock: FakeClock, call: FormCall): Promise<FormReply> {
  const { form, query, tag, apiKey, idempotencyKey, cache, hangsUpAfterMs, onPart } = call;
  const caller = { hasLeft: false };
  if (hangsUpAfterMs !== null) clock.schedule(hangsUpAfterMs, () => (caller.hasLeft = true));
  const fields = { ...form.fields(query), tag };
  const key = form.keyHeader ? { [form.keyHeader]: apiKey } : { authorization: `Bearer ${apiKey}` };
  const sent: Readonly<Record<string, string | undefined>> = {
    ...key,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
    'cache-control': cache,
  };
  const response = await handle({
    method: form.method,
    path: `/api/v1/${form.path}`,
    query: form.isQuery ? new URLSearchParams(fields as Record<string, string>).toString() : '',
    header: (name) => sent[name],
    readBody: () => ({ bytes: Buffer.from(JSON.stringify(fields)) }),
    get disconnected() {
      return caller.hasLeft;
    },
  });
  const { status, headers, body } = response ?? expect.fail('the path is not served');
  if (body === null || body instanceof Uint8Array) return expect.fail('the reply is neither a text nor a stream');
  let text = typeof body === 'string' ? body : '';
  if (typeof body !== 'string')
    await new Promise<void>((resolve) => {
      const write = (part: string) => {
        text += part;
        onPart?.();
      };
      const isClosed = () => caller.hasLeft;
      body.pipeTo({
        write,
        end: resolve,
        destroy: resolve,
        bufferedBytes: 0,
        get isClosed() {
          return isClosed();
        },
      });
    });
  return { status, headers, text, hasLeft: caller.hasLeft };
}

type Json = Readonly<Record<string, unknown>>;

/** The cost that a reply says, in nanodollars; `undefined` for an error. Fails for a reply that is neither, or both. */
export function costIn({ cost: place }: Form, { text, status }: FormReply): bigint | undefined {
  const parts = text.startsWith('{') ? [text] : [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => data);
  const values = parts.map((part) => JSON.parse(part) as Json);
  const costs = values
    .map((value) => place.split('.').reduce<unknown>((at, name) => (at as Json | null)?.[name], value))
    .filter((cost) => cost !== undefined);
  const isError = status !== 200 || values.some(({ error }) => (error ?? null) !== null);
  expect([text, costs.length]).toEqual([text, isError ? 0 : 1]);
  return isError ? undefined : BigInt(Math.round(Number(costs[0]) * 1e9));
}

/** The number of the attempt in a reply; `undefined` for none. Fails where there are two. */
export function attemptIn({ text }: FormReply): number | undefined {
  const numbers = new Set([...text.matchAll(/No\. (\d+);/g)].map(([, number]) => Number(number)));
  expect([text, numbers.size <= 1]).toEqual([text, true]);
  return [...numbers][0];
}
