import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerFormat } from '../src/http/answer-api.js';
import { ChatFormat } from '../src/http/chat-completions/chat-format.js';
import { OWN_FORMAT } from '../src/http/own-answer-api.js';

/** Where Python's `str.splitlines` ends a line. */
const PYTHON_LINES = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/;
const hostile = fc.string({ unit: fc.constantFrom(...'a"\\\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029') });

describe('every event of a stream', () => {
  const formats: Record<string, () => AnswerFormat> = {
    answer: () => OWN_FORMAT,
    'chat completions': () => new ChatFormat({ askedAtMs: 0, includeUsage: true }),
  };

  it.each(Object.keys(formats))('has its data in one line for every reader: %s', (name) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const format = formats[name]?.() as AnswerFormat;
        const citations = [{ url: 'https://example.org/', title: text, snippet: text, startIndex: 0, endIndex: 1 }];
        const head = { id: 'ans_1', model: text, provider: text };
        const events = [
          format.startEvent(head),
          format.citationsEvent(citations as never),
          format.deltaEvent(text),
          format.doneEvent({ ...head, answer: text, citations: citations as never, cost: 1n } as never),
          format.errorEvent(JSON.stringify({ error: { message: text } })),
        ];
        for (const line of events.join('').split(PYTHON_LINES)) {
          expect(line).toMatch(/^$|^event: \w+$|^data: /);
          if (line.startsWith('data: {')) expect(() => JSON.parse(line.slice(6)) as unknown).not.toThrow();
        }
      }),
    );
  });
});
