import type { Provider } from '../../src/provider-kit/provider.js';
import * as allProviders from '../../src/providers/index.js';
import { expectedAnswers } from '../every-model/expected-answers.js';
import { FORMS, FORMS_OF_SHORT_TEXTS, type Shape } from './shapes.js';

/** One way to make a valid reply hostile. */
export interface HostileReply {
  readonly provider: Provider;
  readonly slug: string;
  readonly name: string;
  readonly make: (length: number) => string;
}

/** For each valid reply of each provider: hostile texts in its answer and in all texts, and each of its lists and events repeated. */
export function hostileReplies(): HostileReply[] {
  return Object.values(allProviders).flatMap((create) => {
    const provider = create({ apiKey: 'a-key' });
    const replies = new Map<string, readonly [string, string]>();
    for (const [slug, { reply, answer }] of expectedAnswers(provider.id)) replies.set(reply.toString(), [slug, answer]);
    return [...replies].flatMap(([reply, [slug, answer]]) =>
      variantsOf(reply, answer).map((variant) => ({ provider, slug, ...variant })),
    );
  });
}

/** Makes a text one that is scanned at every length: short ordinary texts have a quicker way, which scaling.test.ts measures by itself. */
const SCANNED = 'a\t';

interface Variant {
  readonly name: string;
  readonly make: (length: number) => string;
}

function variantsOf(reply: string, answer: string): Variant[] {
  const document = parse(reply);
  const texts = document.leaves.filter(({ text }) => /\s|:\/\//.test(text));
  const mentioning = texts.filter(({ text }) => text.includes(answer.slice(0, 10)));
  const longest = texts.toSorted((a, b) => b.text.length - a.text.length).slice(0, 1);
  const chosen = mentioning.length > 0 ? mentioning : longest;
  const withText = (name: string, leaves: readonly Leaf[], shapes: readonly Shape[]) =>
    shapes.map((shape) => ({
      name: `${shape.name} in ${name}`,
      make: (length: number) => document.withTexts(leaves, SCANNED + shape.make(length / leaves.length)),
    }));
  return [
    ...withText('the answer', chosen, FORMS),
    ...withText('every text', texts, FORMS_OF_SHORT_TEXTS),
    ...document.lists.map((list) => ({
      name: `a long list at ${list.path.join('.')}`,
      make: (length: number) => document.withList(list, length, chosen),
    })),
    ...(document.isStream ? [{ name: 'many events', make: document.withEvents }] : []),
  ];
}

type Edits = ReadonlyMap<string, (value: unknown) => unknown>;

type Path = readonly (string | number)[];

export interface Leaf {
  readonly path: Path;
  readonly text: string;
}

interface List {
  readonly path: Path;
  readonly elements: readonly unknown[];
}

/** Lists get fewer elements than texts get characters, since elements are long. */
const LISTS_TIMES = 2;

const DATA = 'data: ';

/** Parses a reply for editing: a JSON value, or the events of a stream. */
export function parse(reply: string) {
  const lines = reply.split('\n');
  const isStream = lines.some((line) => line.startsWith(DATA));
  const parts: unknown[] = isStream
    ? lines.map((line) => (line.startsWith(`${DATA}{`) ? JSON.parse(line.slice(DATA.length)) : line))
    : [JSON.parse(reply)];
  const write = (values: readonly unknown[]) =>
    isStream
      ? values.map((value) => (typeof value === 'string' ? value : DATA + JSON.stringify(value))).join('\n')
      : JSON.stringify(values[0]);
  const readable = parts.map((part) => (typeof part === 'string' ? null : part));
  const edited = (edits: Edits) =>
    write(parts.map((part, index) => (typeof part === 'string' ? part : edit(part, [index], edits))));
  const textEdits = (leaves: readonly Leaf[], text: string) =>
    leaves.map(({ path }): [string, (value: unknown) => unknown] => [
      path.join('.'),
      (value) => `${String(value)} ${text}`,
    ]);
  return {
    isStream,
    leaves: leavesOf(readable, []),
    lists: listsOf(readable, []).filter(({ path, elements }) => path.length > 0 && elements.some(isObject)),
    withTexts: (leaves: readonly Leaf[], text: string) => edited(new Map(textEdits(leaves, text))),
    /** The answer cites every second element, in the forms of all providers. */
    withList(list: List, length: number, chosen: readonly Leaf[]) {
      const count = Math.ceil((LISTS_TIMES * length) / JSON.stringify(list.elements).length) * list.elements.length;
      const place = { end: 60 * count, elements: list.elements };
      const grown = Array.from({ length: count }, (_, index) => variantOf(place, index));
      const text = grown.filter((_, index) => index % 2 === 0).map((element) => citing(addressIn(element)));
      const edits: Edits = new Map([...textEdits(chosen, text.join('')), [list.path.join('.'), () => grown]]);
      return edited(edits);
    },
    withEvents(length: number) {
      const [first = '', ...others] = reply.split('\n\n');
      return [...Array.from({ length: Math.ceil(length / first.length) }, () => first), ...others].join('\n\n');
    },
  };
}

function leavesOf(value: unknown, path: Path): Leaf[] {
  if (typeof value === 'string') return [{ path, text: value }];
  return childrenOf(value).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

function listsOf(value: unknown, path: Path): List[] {
  const within = childrenOf(value).flatMap(([key, child]) => listsOf(child, [...path, key]));
  return Array.isArray(value) ? [{ path, elements: value }, ...within] : within;
}

function childrenOf(value: unknown): (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((element, index) => [index, element] as const);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function edit(value: unknown, path: Path, edits: Edits): unknown {
  const change = edits.get(path.join('.'));
  if (change !== undefined) return change(value);
  if (Array.isArray(value)) return value.map((element, index) => edit(element, [...path, index], edits));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, edit(child, [...path, key], edits)]));
}

/** A copy of a list element with a unique address, cited by nearly all of a text. */
function variantOf({ elements, end }: { elements: readonly unknown[]; end: number }, index: number): unknown {
  return JSON.parse(JSON.stringify(elements[index % elements.length]), (key, value: unknown) => {
    if (typeof value === 'string') return value.includes('://') ? `${value}?n=${index}` : value;
    return typeof value === 'number' && /end_?index/i.test(key) ? end - index : value;
  });
}

function addressIn(element: unknown): string {
  return leavesOf(element, []).find(({ text }) => text.includes('://'))?.text ?? 'https://a.example/';
}

function citing(address: string): string {
  return `word [1](${address}) (${address})\n[^1]: a [b](${address})\n`;
}
