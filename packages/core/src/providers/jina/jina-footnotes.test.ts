import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitFootnotes } from './jina-footnotes.js';

describe('splitFootnotes', () => {
  it('splits the notes off the end', () => {
    expect(
      splitFootnotes('Open.[^1][^2]\n\n[^1]: It is open [A](https://a.example)\n\n[^2]: Yes [B](https://b.example)'),
    ).toEqual({
      text: 'Open.[^1][^2]\n',
      notes: [
        { id: '1', url: 'https://a.example', title: 'A', snippet: 'It is open ' },
        { id: '2', url: 'https://b.example', title: 'B', snippet: 'Yes ' },
      ],
    });
  });

  it.each([
    ['a title with brackets', '[^1]: Yes [[PDF] A [draft]](https://a.example)', '[PDF] A [draft]', 'https://a.example'],
    ['a title over two lines', '[^1]: Yes [A\nB](https://a.example)', 'A\nB', 'https://a.example'],
    ['an address with parentheses', '[^1]: Yes [A](https://a.example/a_(b))', 'A', 'https://a.example/a_(b)'],
    ['nothing quoted', '[^1]: [A](https://a.example)', 'A', 'https://a.example'],
  ])('understands %s', (_what, note, title, url) => {
    const { text, notes } = splitFootnotes(`Open.\n\n${note}`);
    expect(text.trim()).toBe('Open.');
    expect(notes).toMatchObject([{ id: '1', title, url }]);
  });

  it('removes the line of unused markers', () => {
    expect(splitFootnotes('Open.\n\n⁜[^1][^2]\n\n[^1]: Yes [A](https://a.example)').text.trim()).toBe('Open.');
  });

  it.each([
    'Write [^1]: as the beginning of a note.',
    'A note without an address:\n\n[^1]: that is all',
    'A sign:\n\n⁜ is called a dotted cross.',
    'A link [A](https://a.example) in words.\n\n[^1]: and (more) of them',
  ])('leaves %j as it is', (text) => {
    expect(splitFootnotes(text)).toEqual({ text, notes: [] });
  });

  it('keeps the text after the notes', () => {
    const { text, notes } = splitFootnotes('Open.\n\n[^1]: Yes [A](https://a.example)\n\nClosed on Mondays.');
    expect(notes).toHaveLength(1);
    expect(text).toMatch(/^Open\.\n+Closed on Mondays\.$/);
  });

  it('loses only notes', () => {
    const words = fc.constantFrom('Open', '.', '\n', '\n\n', '[^1]', '[^1]:', '⁜', '](', '[', ')', 'https://a.example');
    fc.assert(
      fc.property(fc.array(words), (parts) => {
        const whole = parts.join('');
        const { text, notes } = splitFootnotes(whole);
        const hasLost = notes.length > 0 || whole.includes('⁜[^1]') || /^⁜$/m.test(whole);
        expect(hasLost ? whole : text).toBe(whole);
        expect(whole.length).toBeGreaterThanOrEqual(text.length);
      }),
    );
  });
});
