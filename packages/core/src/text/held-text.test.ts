import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldText, type TextTaker } from './held-text.js';
import { lastCut } from './live-cuts.js';

interface Taken {
  readonly kind: 'text' | 'code';
  readonly text: string;
  readonly context: string;
  readonly offset: number;
}

/** What is taken of a text in these parts. */
function hold(options: Partial<Pick<TextTaker, 'nextCodeCut'>> = {}) {
  const taken: Taken[] = [];
  let looks = 0;
  const take = (kind: Taken['kind']) => (text: string) => {
    taken.push({ kind, text, context: held.context, offset: held.offset });
  };
  const held: HeldText = new HeldText({
    nextCut() {
      looks += 1;
      return lastCut(held.held, held.context === '');
    },
    nextCodeCut: (length) => length,
    takeText: take('text'),
    takeCode: take('code'),
    ...options,
  });
  return { held, taken, looks: () => looks, joined: () => taken.map(({ text }) => text).join('') };
}

describe('a held text', () => {
  it('hands over what is decided, with the character and the length in front of it', () => {
    const { held, taken } = hold();
    for (const part of ['Open ', 'now [', '1] every', ' day']) held.push(part);
    expect(taken).toEqual([
      { kind: 'text', text: 'Open', context: '', offset: 0 },
      { kind: 'text', text: ' now', context: 'n', offset: 4 },
      { kind: 'text', text: ' [1] every', context: 'w', offset: 8 },
      { kind: 'text', text: ' day', context: 'y', offset: 18 },
    ]);
  });

  it('hands over fenced code apart, up to the line that may close it', () => {
    const { held, taken } = hold();
    held.push('See:\n```js\nlet a = [1];\n``');
    held.push('`\nDone');
    expect(taken.map(({ kind, text }) => [kind, text])).toEqual([
      ['text', 'See:\n```js'],
      ['code', '\nlet a = [1];'],
      ['code', '\n```'],
      ['text', '\nDone'],
    ]);
  });

  it('goes on with code that the taker wants to see more of', () => {
    const { held, joined } = hold({ nextCodeCut: (length) => Math.min(length, 2) });
    held.push('```\nabcdef');
    held.push('gh');
    expect([joined(), held.held]).toEqual(['```\nabc', 'defgh']);
  });

  it('hands over nothing behind a fence that a removed marker may open', () => {
    const { held, joined } = hold();
    held.push('Yes\n[1] ```\ncode');
    held.push(' and more');
    expect([held.isFrozen, held.held, joined()]).toEqual([true, '', '']);
  });

  it('hands over nothing behind code that a bracket follows at once', () => {
    const { held, joined } = hold();
    held.push('```\ncode\n```[1] more');
    expect([held.isFrozen, joined()]).toEqual([true, '```\ncode\n```']);
  });

  it('ends code that is open, and says so', () => {
    const { held, joined } = hold();
    held.push('```\ncode\n``');
    expect([held.endCode(), joined(), held.endCode()]).toEqual([true, '```\ncode\n``', false]);
  });

  it('begins again with another text', () => {
    const { held, taken } = hold();
    held.push('Open [1');
    held.restart();
    held.push('Closed');
    expect(taken.at(-1)).toEqual({ kind: 'text', text: 'Closed', context: '', offset: 0 });
  });

  it('begins again outside of code, and is looked through as if it were the first text', () => {
    const { held, taken } = hold();
    held.push('```\ncode');
    held.restart();
    expect([held.held, held.offset, held.context]).toEqual(['', 0, '']);
    held.push('['.repeat(2_000));
    held.restart();
    held.push(`${'['.repeat(1_500)}\nDone`);
    expect(taken.at(-1)).toMatchObject({ kind: 'text', offset: 0, text: `${'['.repeat(1_500)}\nDone` });
  });

  it.each(['[1]', '【1】', '\ue2001'])(
    'hands over nothing behind code that %j follows, which may be taken out',
    (next) => {
      const { held, joined } = hold();
      held.push(`\`\`\`\ncode\n\`\`\`${next} more`);
      expect([held.isFrozen, joined()]).toEqual([true, '```\ncode\n```']);
    },
  );

  it('has a letter in front of what follows code', () => {
    const { held, taken } = hold();
    held.push('```\ncode\n```\nDone');
    expect(taken.at(-1)).toEqual({ kind: 'text', text: '\nDone', context: 'x', offset: 12 });
  });

  it('ends code where its fence is, which the taker has not taken yet', () => {
    const { held, joined } = hold({ nextCodeCut: () => 0 });
    held.push('```\ncode\n```\nDone');
    expect([joined(), held.endCode()]).toEqual(['```', false]);
    expect([joined(), held.held]).toEqual(['```\ncode\n```', '\nDone']);
  });

  it('hands over nothing of what its taker freezes', () => {
    const { held, joined } = hold({
      nextCodeCut: (length) => {
        held.freeze();
        return length;
      },
    });
    held.push('```\ncode\n```\nDone');
    held.take(1);
    expect([held.isFrozen, held.held, held.offset, joined()]).toEqual([true, '', 0, '```']);
  });

  it('hands over as much as is asked for', () => {
    const { held, taken } = hold();
    held.push('[12');
    held.take(0);
    held.take(2);
    expect(taken).toEqual([{ kind: 'text', text: '[1', context: '', offset: 0 }]);
    expect([held.held, held.offset, held.context]).toEqual(['2', 2, '1']);
  });

  it('is given up when more than 100,000 characters are held', () => {
    const { held, joined } = hold();
    held.push('['.repeat(100_000));
    expect(held.isFrozen).toBe(false);
    held.push('['.repeat(100_000));
    held.push(']'.repeat(200_000));
    held.push(' Open');
    expect([held.isFrozen, joined()]).toEqual([true, '']);
  });

  it('is looked through again only when it has doubled', () => {
    const { held, looks } = hold();
    held.push('['.repeat(1_000));
    for (let index = 0; index < 63_000; index += 1) held.push('[');
    expect(looks()).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(64)));
  });

  it('loses and repeats nothing, however it is cut', () => {
    const pieces = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '.',
      '[',
      ']',
      '[1]',
      '(',
      ')',
      '`',
      '```',
      '~~~',
      '```js\n',
      '\n```\n',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const { held, taken, joined } = hold();
        for (const part of parts) held.push(part);
        const whole = parts.join('');
        expect(held.isFrozen ? whole.startsWith(joined()) : joined() + held.held === whole).toBe(true);
        for (const { text, offset } of taken) expect(whole.startsWith(text, offset)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
