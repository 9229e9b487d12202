/** A text meant to cost a reader more than linear time. */
export interface Shape {
  readonly name: string;
  /** A text of about this many characters. */
  readonly make: (length: number) => string;
}

const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.split('');

/** Repeated up to the length. */
const REPEATED: readonly (readonly [name: string, part: string])[] = [
  ['prose', 'The bridge is long. '],
  ['spaces', ' '],
  ['tabs', '\t'],
  ['line feeds', '\n'],
  ['no-break spaces', '\u00a0'],
  ['half of a character', '\ud83c'],
  ['markers in range', 'word [1] '],
  ['markers out of range', 'word [9] '],
  ['markers at the ends of lines', 'word. [1]\n'],
  ['markers at the beginnings of lines', '[9]: a\n'],
  ['adjacent markers', '[1][2]'],
  ['footnotes', 'a [^1]'],
  ['wide markers', '【1†a】'],
  ['wide markers without an end', '【1†a'],
  ['wide markers without a beginning', 'a】'],
  ['linked markers', '[[1]](https://a.example/) '],
  ['lists', '[1, 2] '],
  ['ranges', '[1-20] '],
  ['half markers', '[1 '],
  ['half of doubled markers', '[[1]'],
  ['markers that leave a doubled one', '[[1][9]]'],
  ['escaped markers', '\\[1]'],
  ['LaTeX', '\\sqrt[3]{x}'],
  ['links', '[a](/b) '],
  ['half links', '[a](https:'],
  ['half titles', '[a](/b "'],
  ['nested links', '[a [b](/c)'],
  ['odd back-quotes', '`` ` '],
  ['fences', '```\n'],
  ['fences of tildes in a line', 'x ~~~\n'],
  ['tags', '<b>'],
  ['half tags', '<b'],
  ['citation tags', '<citation>{}</citation>'],
  ['half citation tags', '<citation>'],
  ['thoughts', '<think>'],
  ['ends of thoughts in code', '`</think>'],
  ['half thoughts', '<think a'],
  ['entities', '&amp;'],
  ['half entities', '&am'],
  ['artefacts', '\ue200a\ue201'],
  ['half artefacts', '\ue200'],
  ['notes', '\n[^1]: a [b](https://c.example/)'],
  ['unused notes', '\n⁜[^1]'],
  ['references', '(ref_1, ref_2'],
  ['parameters', '?utm_source=openai&'],
  ['escapes', '\\u0026\\n'],
  ['hidden keys', 'bearer key=sk-'],
  ['events', 'data: {}\n\n'],
  ['half events', 'data\r'],
  ['counts of tokens', 'token count '],
  // A search for an ASCII character stops at each of these characters, which contain its byte.
  ['wide characters with the byte of a line feed', '\u0a0a'],
  ['wide characters with the byte of an ampersand', '\u2626'],
  ['wide characters with the byte of an opening bracket', '\u5b5b'],
  ['wide characters with the byte of a closing bracket', '\u5d5d'],
  ['wide characters with the byte of a wide bracket', '\u3030'],
];

const nested = (open: string, middle: string, close: string) => (length: number) => {
  const depth = Math.floor((length - middle.length) / (open.length + close.length));
  return open.repeat(depth) + middle + close.repeat(depth);
};

/** Runs of back-quotes of different lengths. */
function growingRuns(length: number): string {
  const runs: string[] = [];
  for (let run = 1, total = 0; total < length; run += 1, total += run) runs.push('`'.repeat(run));
  return runs.join(' ');
}

const repeated = (part: string) => (length: number) => part.repeat(Math.ceil(length / part.length));

export const FORMS: readonly Shape[] = [
  ...REPEATED.map(([name, part]) => ({ name, make: repeated(part) })),
  { name: 'growing runs of back-quotes', make: growingRuns },
  { name: 'wide characters with the byte of a back-quote', make: (length) => `\`${'\u6060'.repeat(length)}` },
  { name: 'markers within markers', make: nested('[', '9', '9]') },
  { name: 'brackets within brackets', make: nested('[', '1', ']') },
  { name: 'addresses behind nested brackets', make: nested('[', '1', '](/x)') },
  { name: 'parentheses within parentheses', make: nested('(', 'a', ')') },
  { name: 'quotes within quotes', make: nested('「', 'a', '」') },
  { name: 'runs joined from within', make: nested('[1][', '9', ']') },
  { name: 'one long list', make: (length) => `[${'1,'.repeat(length / 2)}1]` },
  { name: 'one long address', make: (length) => `[1](https://a.example/${'a'.repeat(length)}` },
];

/** Shapes that readers of titles, snippets and addresses may read slowly; these readers do not look for markers. */
const OF_SHORT_TEXTS = [
  'prose',
  'spaces',
  'tabs',
  'line feeds',
  'half of a character',
  'markers in range',
  'half links',
  'half tags',
  'tags',
  'entities',
  'half entities',
  'parameters',
  'escapes',
];

export const FORMS_OF_SHORT_TEXTS: readonly Shape[] = FORMS.filter(({ name }) => OF_SHORT_TEXTS.includes(name));

const MARKED_AT_THE_END = REPEATED.filter(([name]) =>
  ['prose', 'spaces', 'odd back-quotes', 'fences of tildes in a line', 'half links', 'half titles'].includes(name),
);

/** Every shape, and runs of every ASCII punctuation mark. */
export const SHAPES: readonly Shape[] = [
  ...FORMS,
  // A match at the end makes a reader search all the text before.
  ...MARKED_AT_THE_END.map(([name, part]) => ({
    name: `${name}, with a marker at the end`,
    make: (length: number) => `${repeated(part)(length)} [9]`,
  })),
  ...PUNCTUATION.map((mark) => ({
    name: `a run of ${mark}`,
    make: (length: number) => `See [x]. x ${repeated(mark)(length)}`,
  })),
];
