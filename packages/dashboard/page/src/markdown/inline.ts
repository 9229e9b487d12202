/** A piece of a line. Text is text: whatever it contains, it is never read as HTML. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly text: string; readonly url: string }
  /** `[3]` in an answer: points to its third source. */
  | { readonly kind: 'marker'; readonly source: number };

/** Where something may begin. */
const OPENING = /[`*[]/g;
const MARKER = /\[(\d{1,3})\]/y;
// Each part ends at the character that the next attempt could begin with, so that no character is read by more than one attempt.
const LINK = /\[([^[\]]{1,300})\]\((https?:\/\/[^\s()<>]{1,2000})\)/y;

/** Reads bold text, code, links and markers of sources, in time linear in the text. */
export function parseInline(text: string, mayBeBold = true): Inline[] {
  const parts: Inline[] = [];
  const unclosed = new Set<string>();
  let written = 0;
  let at = 0;

  /** Text between two of `fence`, where there are two. */
  const fenced = (fence: string): string | undefined => {
    if (!text.startsWith(fence, at) || unclosed.has(fence)) return undefined;
    const end = text.indexOf(fence, at + fence.length);
    if (end === -1) unclosed.add(fence);
    return end <= at + fence.length ? undefined : text.slice(at + fence.length, end);
  };
  const readPart = (): readonly [part: Inline, length: number] | undefined => {
    const code = fenced('`');
    if (code !== undefined) return [{ kind: 'code', text: code }, code.length + 2];
    const bold = mayBeBold ? fenced('**') : undefined;
    if (bold !== undefined) return [{ kind: 'bold', children: parseInline(bold, false) }, bold.length + 4];
    const [link, label = '', url = ''] = matchAt(LINK, text, at);
    if (link !== undefined && isWebUrl(url)) return [{ kind: 'link', text: label, url }, link.length];
    const [marker, digits = ''] = matchAt(MARKER, text, at);
    return marker === undefined ? undefined : [{ kind: 'marker', source: Number(digits) }, marker.length];
  };

  while (at < text.length) {
    OPENING.lastIndex = at;
    at = OPENING.exec(text)?.index ?? text.length;
    const found = at < text.length ? readPart() : undefined;
    if (found === undefined) {
      at += 1;
      continue;
    }
    if (written < at) parts.push({ kind: 'text', text: text.slice(written, at) });
    parts.push(found[0]);
    at += found[1];
    written = at;
  }
  if (written < text.length) parts.push({ kind: 'text', text: text.slice(written) });
  return parts;
}

/** Only such URLs become links: a `javascript:` URL of a source would run in the page. */
export function isWebUrl(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): (string | undefined)[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}
