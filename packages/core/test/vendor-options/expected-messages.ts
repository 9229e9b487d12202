import { expect } from 'vitest';

/** A conversation as callers send it. */
export const CONVERSATION = [
  { role: 'user', content: 'Which bridge opened\nin May?' },
  { role: 'assistant', content: ' The “Zephyr Bridge” [1].' },
  { role: 'user', content: 'And where is it?' },
];

const typed = (type: string) => CONVERSATION.map((message) => ({ type, ...message }));
const system = { role: 'system', content: expect.any(String) as string };

/** The expected field of the vendor's body per provider, written by hand from the vendors' documentation. Models of other providers refuse conversations. */
export const EXPECTED_MESSAGES: Readonly<Record<string, object>> = {
  anthropic: { messages: CONVERSATION },
  deepseek: { messages: CONVERSATION },
  google: {
    contents: [
      { role: 'user', parts: [{ text: CONVERSATION[0]?.content }] },
      { role: 'model', parts: [{ text: CONVERSATION[1]?.content }] },
      { role: 'user', parts: [{ text: CONVERSATION[2]?.content }] },
    ],
  },
  jina: { messages: CONVERSATION },
  mistral: { inputs: typed('message.input') },
  openai: { input: typed('message') },
  openrouter: { messages: [system, ...CONVERSATION] },
  perplexity: { input: typed('message') },
  xai: { input: [system, ...CONVERSATION] },
  zai: { messages: CONVERSATION },
};
