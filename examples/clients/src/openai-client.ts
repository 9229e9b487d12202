import OpenAI from 'openai';

/** @param baseURL mount URL of the gateway plus `/api/v1` */
export function createClient(baseURL: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL, apiKey, timeout: 200_000 });
}

/** Asks one question. */
export async function ask(client: OpenAI, model: string, query: string) {
  const completion = await client.chat.completions.create(
    { model, messages: [{ role: 'user', content: query }] },
    { headers: { 'Idempotency-Key': crypto.randomUUID() } }, // one key for all tries of this question
  );
  const { content, annotations } = completion.choices[0]?.message ?? {};
  return { answer: content ?? '', sources: (annotations ?? []).map(({ url_citation }) => url_citation) };
}

/** Asks one question with a limit of one cent. Yields the streamed answer; returns its cost in USD. */
export async function* askStream(client: OpenAI, model: string, query: string): AsyncGenerator<string, number> {
  const question = {
    model,
    messages: [{ role: 'user' as const, content: query }],
    stream: true as const,
    stream_options: { include_usage: true },
    routing: { max_cost: '0.01' }, // the gateway's own fields go next to the others
    include_citations: false,
  };
  let cost = 0;
  for await (const { choices, usage } of await client.chat.completions.create(question)) {
    const text = choices[0]?.delta.content ?? '';
    if (text !== '') yield text;
    cost = (usage as { cost?: number } | null | undefined)?.cost ?? cost;
  }
  return cost;
}
