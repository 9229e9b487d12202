import { expect } from 'vitest';

export const INSTRUCTIONS = 'Answer “briefly”,\nand name the year.';

/** How a vendor takes instructions and a limit, and how its replies end at the limit. */
interface ExpectedPrompt {
  /** The vendor's field, with the instructions. */
  readonly instructions: object;
  /** Absent where the vendor has no limit. */
  readonly limit?: ExpectedLimit;
}

interface ExpectedLimit {
  /** The value that is sent for a limit of 1, and for one of a million. */
  readonly least: number;
  readonly most: number;
  readonly form: ReplyForm;
}

/** Replies that end early, in one of the vendors' forms. */
interface ReplyForm {
  /** Changes a recorded reply, or an event of a stream, into one that the limit has ended. */
  readonly cut: (body: Body) => unknown;
  /** The same for another reason that is no limit of the caller. Absent where a reply has no reason. */
  readonly overflow?: (body: Body) => unknown;
  /** A reply that the limit has ended before the search and the first word: 100 tokens in, 40 out. */
  readonly empty: object;
}

export type Body = Readonly<Record<string, unknown>>;

const changed = (pattern: RegExp, words: string) => (body: Body) =>
  JSON.parse(JSON.stringify(body).replace(pattern, words)) as unknown;

const incomplete = (reason: string) => (body: Body) => {
  const ended = { status: 'incomplete', incomplete_details: { reason } };
  if (body['object'] === 'response') return { ...body, ...ended };
  if (body['type'] !== 'response.completed') return body;
  return { ...body, type: 'response.incomplete', response: { ...(body['response'] as Body), ...ended } };
};

const RESPONSES: ReplyForm = {
  cut: incomplete('max_output_tokens'),
  overflow: incomplete('max_tool_turns'),
  empty: {
    id: 'r',
    object: 'response',
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ type: 'reasoning', summary: [] }],
    usage: { input_tokens: 100, output_tokens: 40 },
  },
};

const MESSAGES: ReplyForm = {
  cut: changed(/"stop_reason":"end_turn"/, '"stop_reason":"max_tokens"'),
  overflow: changed(/"stop_reason":"end_turn"/, '"stop_reason":"model_context_window_exceeded"'),
  empty: {
    content: [{ type: 'thinking', thinking: 'A bridge …', signature: 's' }],
    stop_reason: 'max_tokens',
    usage: { input_tokens: 100, output_tokens: 40 },
  },
};

const CHAT: ReplyForm = {
  cut: changed(/"finish_reason":"stop"/, '"finish_reason":"length"'),
  overflow: changed(/"finish_reason":"stop"/, '"finish_reason":"model_context_window_exceeded"'),
  empty: {
    choices: [
      { finish_reason: 'length', message: { role: 'assistant', content: '', reasoning_content: 'A bridge …' } },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 40, cost: 0.000_001 },
  },
};

const GOOGLE: ReplyForm = {
  cut: changed(/"finishReason":"STOP"/, '"finishReason":"MAX_TOKENS"'),
  overflow: changed(/"finishReason":"STOP"/, '"finishReason":"CONTINUATION"'),
  empty: {
    candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }],
    usageMetadata: { promptTokenCount: 100, thoughtsTokenCount: 40 },
  },
};

/** A reply says nothing of its end: only the count of its tokens shows it. */
const MISTRAL: ReplyForm = {
  cut: (body) => body,
  empty: { outputs: [], usage: { prompt_tokens: 100, completion_tokens: 40 } },
};

const own = (words: string) => expect.stringMatching(new RegExp(`^${words}.+\\n\\n${INSTRUCTIONS}$`)) as string;
const asMessage = (content: string) => [
  { role: 'system', content },
  { role: 'user', content: expect.any(String) as string },
];
const system = own('Search the web at least once before you answer');
const limit = (form: ReplyForm, least = 1, most = 8_192): ExpectedLimit => ({ least, most, form });

/** Per provider or slug, written by hand from the vendors' documentation. Models of other vendors refuse both fields. */
export const EXPECTED_PROMPTS: Readonly<Record<string, ExpectedPrompt>> = {
  anthropic: { instructions: { system }, limit: limit(MESSAGES) },
  deepseek: { instructions: { system }, limit: limit(MESSAGES) },
  exa: { instructions: { systemPrompt: INSTRUCTIONS } },
  google: {
    instructions: { systemInstruction: { parts: [{ text: own('Search with Google before you answer') }] } },
    limit: limit(GOOGLE),
  },
  mistral: { instructions: { instructions: own('Always search the web before you answer') }, limit: limit(MISTRAL) },
  openai: { instructions: { instructions: own('Search the web before you answer') }, limit: limit(RESPONSES, 16) },
  openrouter: { instructions: { messages: asMessage(system) }, limit: limit(CHAT, 16) },
  parallel: { instructions: { instructions: INSTRUCTIONS } },
  'perplexity/sonar': { instructions: { instructions: INSTRUCTIONS }, limit: limit(RESPONSES) },
  xai: { instructions: { input: asMessage(own('Search the web before you answer')) }, limit: limit(RESPONSES) },
  zai: { instructions: { messages: asMessage(INSTRUCTIONS) }, limit: limit(CHAT) },
};
