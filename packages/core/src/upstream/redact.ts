import { MAX_DETAIL_CHARACTERS } from '../base/errors/upstream-error.js';
import { firstCharacters, hasMoreCharacters } from '../base/options/characters.js';
import { maskUrls } from '../base/options/mask-urls.js';

/** Characters of a text that are read; the excerpt is cut from their redacted form. */
const WINDOW_LENGTH = 2_000;
/** No run of this many characters of a secret is shown, because providers often echo a part of a wrong key. */
const PART_LENGTH = 8;
/** A shorter text is no secret, and hiding it would hide ordinary words. */
const MIN_SECRET_LENGTH = 4;

const REDACTED = '[redacted]';

/** Patterns of credentials, with their replacements. Order matters: wide patterns come last. */
const CREDENTIALS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b(bearer)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/\b(basic)\s+[\w+/=-]{12,}/gi, `$1 ${REDACTED}`],
  [
    /((?:api[-_ ]?key|token|secret|password|authorization)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;&<>{}]+/gi,
    `$1${REDACTED}`,
  ],
  [/\b(?:sk|pk|rk|pplx|xai|gsk|tvly|sg)[-_][\w*.-]{4,}/gi, REDACTED],
];

/** A long run of the characters of keys, hashes and tokens. */
const LONG_RUN = /[A-Za-z0-9+/_=-]{20,}/g;
/** A long run of words only (`invalid_search_domain_filter`, `API_KEY_BUDGET_EXCEEDED`, a path): no digits, and one case. */
const WORDS = /^(?:[a-z+/_=-]+|[A-Z+/_=-]+)$/;

/**
 * Makes a provider's words fit for the operator's events: one line of at most {@link MAX_DETAIL_CHARACTERS} without
 * anything that looks like a credential, and without any eight characters in a row of the given secrets.
 *
 * It hides too much rather than too little: request ids and dated model names are hidden too.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let excerpt = maskUrls(maskSecrets(onOneLine(text.slice(0, WINDOW_LENGTH)), secrets), REDACTED);
  for (const [pattern, replacement] of CREDENTIALS) excerpt = excerpt.replace(pattern, replacement);
  excerpt = excerpt.replace(LONG_RUN, (run) => (WORDS.test(run) ? run : REDACTED));
  const isLong = hasMoreCharacters(excerpt, MAX_DETAIL_CHARACTERS);
  return isLong ? `${firstCharacters(excerpt, MAX_DETAIL_CHARACTERS - 1)}…` : excerpt;
}

function onOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Hides every run of eight characters of the secrets, and changes nothing else. Takes as long as text and secrets together. */
export function maskSecrets(text: string, secrets: Iterable<string>): string {
  const partsBySize = new Map<number, Set<string>>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    const size = Math.min(PART_LENGTH, secret.length);
    const parts = partsBySize.get(size) ?? new Set();
    for (let start = 0; start + size <= secret.length; start += 1) parts.add(secret.slice(start, start + size));
    partsBySize.set(size, parts);
  }
  const hidden = new Uint8Array(text.length);
  for (const [size, parts] of partsBySize) {
    for (let at = 0; at + size <= text.length; at += 1)
      if (parts.has(text.slice(at, at + size))) hidden.fill(1, at, at + size);
  }
  return withoutHidden(text, hidden);
}

function withoutHidden(text: string, hidden: Uint8Array): string {
  let shown = '';
  for (let index = 0; index < text.length; index += 1) {
    if (hidden[index] === 0) shown += text.charAt(index);
    else if (index === 0 || hidden[index - 1] === 0) shown += REDACTED;
  }
  return shown;
}
