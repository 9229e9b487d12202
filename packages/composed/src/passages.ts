/** Target of a passage, in UTF-16 code units; with its last sentence it has at most {@link MAX_PASSAGE}. */
const PASSAGE = 700;
export const MAX_PASSAGE = 900;
/** The shortest rest that is a passage of its own. */
const SHORTEST = 80;

/** Ends of paragraphs and of sentences, the better ones first. */
const CUTS = [/\n\s*\n/g, /\n/g, /[.!?…](?=\s)|[。！？।؟۔]/g, /\s/g];

/** What no reader sees, and what could be read as a command to a reader of tokens. */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const TOKENS = /<\||\|>|\[\/?INST\]|<<\/?SYS>>|<\/?s>|<(?:start|end)_of_turn>/gi;

/** Makes a text of a page safe to be read by a model, as far as characters can: invisible ones and tokens of chat templates go. */
export function readable(text: string): string {
  const seen = text.replace(UNSEEN, (character) => (/\s/.test(character) ? '\n' : ''));
  return seen.replace(TOKENS, (token) => token.split('').join(' ')).trim();
}

/** Cuts a text at the ends of paragraphs or sentences into at most `most` passages. The rest is dropped. */
export function passagesOf(text: string, most: number): readonly string[] {
  const passages: string[] = [];
  let rest = readable(text.slice(0, 2 * most * MAX_PASSAGE));
  while (rest !== '' && passages.length < most) {
    const end = rest.length <= MAX_PASSAGE ? rest.length : cutOf(rest);
    const passage = rest.slice(0, end).trim();
    if (passage !== '' && (passages.length === 0 || passage.length >= SHORTEST)) passages.push(passage);
    rest = rest.slice(end).trimStart();
  }
  return passages;
}

function cutOf(text: string): number {
  const window = text.slice(0, MAX_PASSAGE);
  for (const cut of CUTS) {
    const end = Array.from(window.matchAll(cut), ({ index, 0: { length } }) => index + length).at(-1) ?? 0;
    if (end >= PASSAGE / 2) return end;
  }
  return window.search(/[\uD800-\uDBFF]?$/);
}
