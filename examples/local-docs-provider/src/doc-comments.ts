import type { LocalDocument } from './local-document.js';

const COMMENT = /\/\*\*\n([\s\S]*?)\*\/\s*\n(.*)/g;
/** What a line of code declares: `res.send = function`, `get body () {`, `redirect (url) {`. */
const DECLARED = /^\s*(?:(?:static|async|get|set)\s+)*(?:module\.exports\s*=\s*)?([\w.]+)\s*(?:=|\(.*\{\s*$)/;
const DEFINED_GETTER = /^defineGetter\((\w+), '(\w+)'/;
const INTERNAL = /@(?:api )?private|^\s*\* (?:Module dependencies|Prototype)/m;

/** The comments that document what a file of a package exports, each as a page of its own that is cited by its line. */
export function docComments(
  source: string,
  { code, url }: { readonly code: string; readonly url: string },
): LocalDocument[] {
  return [...code.matchAll(COMMENT)].flatMap(({ 1: comment = '', 2: declaration = '', index }) => {
    const getter = DEFINED_GETTER.exec(declaration)?.slice(1).join('.');
    const name = getter ?? DECLARED.exec(declaration)?.[1];
    if (name === undefined || INTERNAL.test(comment)) return [];
    const line = code.slice(0, index).split('\n').length;
    return [{ source, url: `${url}#L${line}`, markdown: `# ${name}\n\n${markdownOf(comment)}` }];
  });
}

function markdownOf(comment: string): string {
  return comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/^@(?:api|public).*$/gm, '')
    .replace(/^@(\w+)/gm, '- $1')
    .trim();
}
