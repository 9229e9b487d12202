import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { maskSecrets } from '@searchgate/core/provider-kit';
import { problem } from '../problems.js';
import type { PlannedCall } from './planned-calls.js';
import { fieldsIn, valuesIn } from './reply-shape.js';
import type { Exchange } from './verifier.js';

/** The longest recording, in bytes. */
const MAX_BYTES = 20_000;
/** Fields whose text tells who asked, and fields with ids. Addresses of pages are no ids. */
const ACCOUNT =
  /^(?:account|organi[sz]ation|org|project|workspace|team|tenant|customer|user|owner|e-?mail|login)(?:[_-]?(?:id|name|e-?mail|slug))?$|^(?:client[_-]?)?ip$/i;
const ID = /(?:^|[_-])id$|[a-z]I[dD]$|^(?:request|trace|session)$/i;
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/[\w.+-]+@[\w-]+\.[\w.-]+\w/g, 'someone@example.org'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '192.0.2.1'],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '00000000-0000-4000-8000-000000000000'],
];
/** Headers and parameters with a key. */
const SECRET = /auth|key|token|secret/i;

/**
 * Writes replies below a folder, and verdicts of models in `verified.json`, where those of other models stay.
 *
 * @param redact hides the keys of environment and file. @throws ConfigurationError for a folder that cannot be written.
 */
export function createRecorder(folder: string, redact: (text: string) => string) {
  const file = join(folder, 'verified.json');
  const write = (path: string, text: string) => {
    try {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, `${text}\n`);
    } catch (error) {
      throw problem('--record', `${path} (${(error as NodeJS.ErrnoException).code})`, 'a folder that can be written');
    }
  };
  const [before = {}] = existsSync(file) ? valuesIn(readFileSync(file, 'utf8')) : [];
  write(file, JSON.stringify(before, null, 2));
  return {
    record({ row, variant }: PlannedCall, exchanges: readonly Exchange[]) {
      const [provider = '', ...parts] = row.slug.split('/');
      const name = [...parts, ...(variant === 'plain' ? [] : variant.split(' '))].join('-');
      for (const [index, { status, text, request }] of exchanges.entries()) {
        if (status === null) continue;
        const suffix = `${index === 0 ? '' : `-${index + 1}`}${status < 300 ? '' : `-${status}`}`;
        const { body, extension } = recordingOf(text, (shown) => maskSecrets(redact(shown), secretsOf(request)));
        write(join(folder, provider, `${name}${suffix}.${extension}`), body);
      }
    },
    finish: (verdicts: object) => write(file, JSON.stringify({ ...(before as object), ...verdicts }, null, 2)),
  };
}

/** The key may come from a file or a function: what was sent has it. */
function secretsOf({ headers, url }: Exchange['request']): string[] {
  const sent = [...Object.entries(headers), ...url.searchParams].filter(([name]) => SECRET.test(name));
  const parts = sent.flatMap(([, value]) => value.split(' ').filter((part) => part.length >= 8));
  return [...parts, ...parts.map(encodeURIComponent)];
}

/** A reply in the form of the fixtures, without what tells whose it is, and short. */
export function recordingOf(text: string, hide: (text: string) => string): { body: string; extension: 'json' | 'txt' } {
  let anonymous = hide(withoutNames(text, namesIn(valuesIn(text))));
  for (const [pattern, other] of PATTERNS) anonymous = anonymous.replace(pattern, other);
  const [value, ...more] = valuesIn(anonymous);
  const isJson = value !== undefined && more.length === 0 && !/^data:/m.test(text);
  return isJson ? { body: shortened(value), extension: 'json' } : { body: shortenedText(anonymous), extension: 'txt' };
}

/** Each name with what stands for it: the same in all places, so that references stay. */
function namesIn(values: readonly unknown[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { name, value } of values.flatMap((each) => [...fieldsIn(each)])) {
    const kind = ACCOUNT.test(name) ? 'account' : ID.test(name) ? 'id' : undefined;
    if (kind === undefined || typeof value !== 'string' || value.length < 4 || /^https?:/.test(value)) continue;
    names.set(value, names.get(value) ?? `${kind}-${names.size + 1}`);
  }
  return names;
}

/** A short name may be a word: it is replaced where it is a whole value. */
function withoutNames(text: string, names: ReadonlyMap<string, string>): string {
  return [...names]
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((rest, [name, other]) => {
      const written = JSON.stringify(name).slice(1, -1);
      const quoted = rest.replaceAll(`"${written}"`, `"${other}"`);
      return name.length < 8 ? quoted : quoted.replaceAll(written, other);
    }, text);
}

/** JSON with shorter and shorter texts and lists, until it fits. */
function shortened(value: unknown): string {
  let text = JSON.stringify(value, null, 2);
  for (let most = 1_000; Buffer.byteLength(text) >= MAX_BYTES && most >= 1; most /= 2) {
    const cut = (_key: string, each: unknown): unknown =>
      typeof each === 'string' ? each.slice(0, most) : Array.isArray(each) ? each.slice(0, 1 + most / 20) : each;
    text = JSON.stringify(value, cut, 2);
  }
  return text.slice(0, MAX_BYTES - 1);
}

/** The first and the last lines of a stream. */
function shortenedText(text: string): string {
  if (Buffer.byteLength(text) < MAX_BYTES) return text.trimEnd();
  const [most, end] = [Math.floor(MAX_BYTES / 5), Math.floor(MAX_BYTES / 10)];
  const head = text.slice(0, most).replace(/[^\n]*$/, '');
  return `${head}\n${text.slice(-end).replace(/^[^\n]*\n/, '')}`.trimEnd();
}
