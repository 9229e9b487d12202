import type { LocalDocument } from './local-document.js';

const COMMENT = /^[ \t]*\/\*\*\n((?:[ \t]*\*(?!\/).*\n)+)[ \t]*\*\/\s*\n(.*)/gm;
/** What a line of code declares: `res.send = function`, `get body () {`, `ttl?: Milliseconds`. A type says what it is, and not what to do. */
const DECLARED =
  /^\s*(?:(?:export|static|readonly|async|get|set)\s+)*(?:module\.exports\s*=\s*)?([\w.]+)\??\s*(?:[=:;<{]|\(.*[{;]\s*$)/;
const DEFINED_GETTER = /^defineGetter\((\w+), '(\w+)'/;
/** Less than this beside names only points elsewhere. */
const MIN_CHARS = 16;
const INTERNAL = /@(?:api )?(?:private|internal|ignore)|^\s*\* (?:Module dependencies|Prototype)/m;

/** The comments that document what a file of a package exports, each as a page of its own that is cited by its line. */
export function docComments(
  source: string,
  { code, url }: { readonly code: string; readonly url: string },
): LocalDocument[] {
  return [...code.matchAll(COMMENT)].flatMap(({ 1: comment = '', 2: declaration = '', index }) => {
    const getter = DEFINED_GETTER.exec(declaration)?.slice(1).join('.');
    const name = getter ?? DECLARED.exec(declaration)?.[1];
    const says = markdownOf(comment);
    if (name === undefined || INTERNAL.test(comment) || says.replace(/`[^`]*`/g, '').length < MIN_CHARS) return [];
    const line = code.slice(0, index).split('\n').length;
    return [{ source, url: `${url}#L${line}`, markdown: `# ${name}\n\n${says}` }];
  });
}

function markdownOf(comment: string): string {
  return comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/^@(?:api|public).*$/gm, '')
    .replace(/\{@link ([^}|]+?)(?: *\|[^}]*)?\}/g, '`$1`')
    .replace(/^@(\w+)/gm, '- $1')
    .trim();
}
