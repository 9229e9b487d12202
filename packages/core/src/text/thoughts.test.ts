import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThoughtReader, withoutThoughts } from './thoughts.js';

const whole = (text: string) => withoutThoughts({ text, marks: [] }).text;

/** The text handed over in pieces of a length; `error` if the reader gives up. */
function inPieces(text: string, length: number, hold?: number): string {
  let given = '';
  const reader = new ThoughtReader((part) => (given += part), hold);
  try {
    for (let at = 0; at < text.length; at += length) reader.push(text.slice(at, at + length));
    reader.push('', [], true);
  } catch {
    return 'error';
  }
  return given;
}

const THOUGHTS = [
  '<think>SECRET</think>It opened.',
  ' \n<think>\nSECRET\n</think>It opened.',
  '<THINKING lang="en">SECRET <b>x</b></ Thinking >It opened.',
  '< think >SECRET< / think >It opened.',
  '<think\n>SECRET</think\n>It opened.',
  '<reasoning>SECRET ```js\n</reasoning>It opened.',
  '<thought>SECRET [1]</thought>It opened.',
  '<thoughts>SECRET</thought>It opened.',
  '<reflection>SECRET</reflection>It opened.',
  '<antThinking>SECRET</antThinking>It opened.',
  '<seed:think>SECRET</seed:think>It opened.',
  '<inner_monologue>SECRET</inner_monologue>It opened.',
  '<|begin_of_thought|>SECRET<|end_of_thought|>It opened.',
  '<|START_THINKING|>SECRET<|END_THINKING|>It opened.',
  '<｜begin▁of▁thinking｜>SECRET<｜end▁of▁thinking｜>It opened.',
  '◁think▷SECRET◁/think▷It opened.',
  '&lt;think&gt;SECRET&lt;/think&gt;It opened.',
  '[THINK]SECRET[/THINK]It opened.',
  '<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>It opened.',
  '<think>SECRET</think><think/>\n<thinking>SECRET</thinking>It opened.',
  '> <think>SECRET</think>It opened.',
  'Sure: <think>SECRET</think> it opened.',
  'Sure: <think> SECRET </think> it opened.',
  'Sure: <think>SECRET\n\n`</think>` ` SECRET\n</think>it opened.',
  'Sure: (<reasoning>SECRET</reasoning>) it <think></think> ope<think>S</think>ned.',
];
const LONE = [
  'SECRET</think>It opened.',
  'SECRET </THINK> It opened.',
  'SECRET.\n</thinking>\n\nIt opened.',
  'SECRET ` SECRET</think>It opened.',
  'SECRET `<think>` SECRET</think>It opened.',
  '<think>SECRET<think>SECRET</think>SECRET</think>It opened.',
];
const KEPT = [
  'The tags <think> and </think> are tags. Write `<think>x</think>`, or "<think>" or “</think>”.',
  'Thoughts begin with <think>, as you know. It opened.',
  'Write <think> first:\n```xml\n</think>\n```\nIt opened.',
  'Thoughts end with </think> and answers follow.',
  'The end is </think>. It opened.',
  'It writes “</think>” there.',
  'Use ``a ` </think>`` here.\n```xml\n<think>\n</think>\n```\nIt opened.',
  '```\nx ``\n</think>\n````\n',
  '<thinker> 1 < 2, [think](https://a.example/) &amp; <b>',
  '```a``` it opened.',
];

describe('the reader of thoughts', () => {
  it.each(THOUGHTS)('leaves out the thoughts of %j', (text) => {
    expect(
      whole(text)
        .replace(/^> |[()]/g, '')
        .trim()
        .replaceAll(/ +/g, ' '),
    ).toMatch(/^(?:Sure: i|I)t opened\.$/);
    for (const length of [1, 7, text.length]) expect(inPieces(text, length)).toBe(inPieces(text, text.length));
    expect(inPieces(text, 1)).toBe(whole(text));
  });

  it.each(LONE)('finds thoughts without an opening tag in %j', (text) => {
    expect(whole(text).trim()).toBe('It opened.');
    for (const length of [1, 7, text.length]) {
      expect(inPieces(text, length, 1_000)).toBe(whole(text));
      expect(['error', whole(text)]).toContain(inPieces(text, length));
    }
    expect(inPieces(text, 1)).toBe('error');
  });

  it.each(KEPT)('keeps %j', (text) => {
    expect(whole(text)).toBe(text);
    for (const length of [1, 7, text.length]) expect(inPieces(text, length)).toBe(text);
  });

  it.each([
    ['<think>SECRET', ''],
    ['SECRET</think>', ''],
    ['It opened.\n<think>\nSECRET\n</think>\n\nIn May.', 'It opened.\n\n\nIn May.'],
    ['It opened.\n\n<think>SECRET', 'It opened.\n\n'],
    ['{"a":"SECRET</think>b"}', '{"a":"SECRET</think>b"}'],
    ['SECRET</think>{"a":"</think>"}', '{"a":"</think>"}'],
  ])('makes of %j %j', (text, rest) => expect(whole(text)).toBe(rest));

  it('hands over text at once, but for the beginning of a tag', () => {
    const given: string[] = [];
    const reader = new ThoughtReader((part) => given.push(part));
    for (const part of ['It ', 'opened <', 'thi', 's> in [', '1] & `']) reader.push(part);
    expect(given).toEqual(['It ', 'opened ', '<this> in ', '[1] & ']);
  });

  it('moves marks, and drops the marks of thoughts', () => {
    const text = '<think>a[1]b</think>It opened.\n<think>c</think>In May.';
    const at = (words: string) => text.indexOf(words) + words.length;
    const marks = ['a', '</think>', 'opened', 'c', 'May'].map((words, index) => ({ at: at(words), ids: [index] }));
    const kept = withoutThoughts({ text, marks });
    expect(kept.text).toBe('It opened.\nIn May.');
    expect(kept.marks).toEqual([
      { at: 9, ids: [2] },
      { at: 17, ids: [4] },
    ]);
  });

  it('has the same result in any pieces', () => {
    const words = ['<think>', '</think>', '[/THINK]', '`', '```', '\n', ' a', '. ', 'B', '<', '"', '<th', '[', '&lt;'];
    const texts = fc.array(fc.constantFrom(...words), { maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 60 }), (text, length, hold) => {
        expect(['error', whole(text).trim()]).toContain(inPieces(text, length, hold).trim());
      }),
      { numRuns: 2_000 },
    );
  });
});
