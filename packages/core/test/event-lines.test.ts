import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatFormat } from '../../dialects/src/chat-completions/chat-format.js';
import { ResponsesFormat } from '../../dialects/src/responses/responses-format.js';
import type { WireFormat } from '../src/http/answer-api.js';
import { NATIVE_FORMAT } from '../src/http/wire-schemas.js';

/** The line ends of Python's `str.splitlines`. */
const ENDS = Array.from('\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029');
const hostile = fc.string({ unit: fc.constantFrom('a', '"', '\\', ...ENDS) });

describe('every event of a stream', () => {
  const formats: Record<string, () => WireFormat> = {
    answer: () => NATIVE_FORMAT,
    'chat completions': () => new ChatFormat({ askedAtMs: 0, includeUsage: true }),
    responses: () => new ResponsesFormat({ askedAtMs: 0, hasSearch: true, includeSources: true }),
  };

  it.each(Object.keys(formats))('has its data in one line: %s', (name) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const format = formats[name]?.() as WireFormat;
        const citations = [{ url: 'https://example.org/', title: text, snippet: text, startIndex: 0, endIndex: 1 }];
        const head = { id: 'ans_1', model: text, provider: text };
        const events = [
          format.startEvent(head),
          format.citationsEvent(citations),
          format.deltaEvent(text),
          format.doneEvent({ ...head, body: { fields: { answer: text, citations }, usage: {} }, cost: 1n }),
          format.errorEvent(JSON.stringify({ error: { message: text } })),
        ];
        const stream = events.join('');
        expect(ENDS.slice(1).filter((end) => stream.includes(end))).toEqual([]);
        const lines = stream.split('\n');
        expect(lines.filter((line) => !/^$|^event: [\w.]+$|^data: /.test(line))).toEqual([]);
        for (const line of lines.filter((each) => each.startsWith('data: {'))) JSON.parse(line.slice(6));
      }),
    );
  });
});
