import { request } from 'undici';
import { z } from 'zod';
import type { Server } from '../stage.js';
import { CITATION_COUNT, EXA_COST_USD } from '../upstream/replies.js';

const answerSchema = z.object({
  id: z.string(),
  model: z.literal('exa/answer'),
  provider: z.literal('exa'),
  answer: z.string().startsWith('The Zephyr Bridge opened'),
  citations: z.array(z.object({ title: z.string(), url: z.url(), snippet: z.string() })).length(CITATION_COUNT),
  usage: z.object({ cost: z.literal(EXA_COST_USD) }),
});
const chatCompletionSchema = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().startsWith('The Zephyr Bridge opened') }) }))
    .length(1),
});

/** Asks every server once and reads the reply closely, so that what is measured is known to be the right work. @throws Error naming the server. */
export async function checkReplies(servers: readonly Server[]): Promise<void> {
  for (const { target, port, request: text } of servers) {
    const schema = target.kind === 'peer' ? chatCompletionSchema : answerSchema;
    const parsed = schema.safeParse(await replyTo(port, text));
    if (!parsed.success)
      throw new Error(`${target.name} does not answer as it should: ${z.prettifyError(parsed.error)}`);
  }
}

async function replyTo(port: number, text: string): Promise<unknown> {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [requestLine = '', ...headerLines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = Object.fromEntries(headerLines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  const response = await request(`http://127.0.0.1:${port}${path}`, { method: method as 'POST', headers, body });
  const reply = await response.body.text();
  if (response.statusCode !== 200) return { status: response.statusCode, reply };
  return JSON.parse(reply) as unknown;
}
