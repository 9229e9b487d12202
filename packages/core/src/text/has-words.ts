import { nextVisible } from '../base/options/characters.js';
import { matchAt } from './marker-forms.js';
import { decodeEntities } from './page-fields.js';

/** A line without words: a fence, a rule, a quote, a heading or an item without text, the definition of a link. */
const EMPTY_LINE =
  /[ >\t]*(?:`{3,}[^`\n]*|~{3,}[^\n]*|(?:[-*_][ \t]*){3,}|(?:#{1,6}|[-+*]|\[[^[\]\n]+\]:[ \t]*\S+)[ \t]*)?(?:\r?\n|$)/y;
/** A marker, also in bold or as an item, a tag, the beginning of a comment, a line break, a link or an entity that shows nothing. An address in `<>` is no tag. */
const EMPTY_PART =
  /([*_~]{0,3})\[\d{1,3}\](?![({])\1|(?:[-+*>]|#{1,6})[ \t]+(?=[*_~]{0,3}\[\d{1,3}\](?![({]))|<\/?(?!img\b)[a-z][\w-]*(?=[\s/>])[^<>]*>|<!--|\\(?=\r?\n)|\[\s*\]\([^()\s]*\)|&(?:#\w{1,8}|\w*sp(?:ace)?|emsp1[34]|shy|zwn?j|[lr]rm|NoBreak|NewLine|Tab|Invisible\w+|ApplyFunction);/iy;

/** Whether readers see anything of a text in Markdown besides its citation markers. Reads up to the first word. */
export function hasWords(text: string): boolean {
  let end = 0;
  for (let at = nextVisible(text, 0); at !== -1; at = nextVisible(text, end)) {
    const isLineStart = end === 0 || text.slice(end - 1, at).includes('\n');
    const [part] = (isLineStart ? matchAt(EMPTY_LINE, text, at) : null) ?? matchAt(EMPTY_PART, text, at) ?? [];
    if (part === undefined || showsCharacter(part)) return true;
    const last = part === '<!--' ? text.indexOf('-->', at) : at;
    if (last === -1) return false;
    end = last + (part === '<!--' ? '-->' : part).length;
  }
  return false;
}

function showsCharacter(part: string): boolean {
  const character = part.startsWith('&#') ? decodeEntities(part) : part;
  return character !== part && nextVisible(character, 0) !== -1;
}
