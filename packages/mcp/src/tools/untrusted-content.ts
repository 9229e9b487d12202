/**
 * Marks text of a page, so that a model can tell the text from instructions. A mark, not a filter: models may still follow the text.
 *
 * @returns `''` for an empty text.
 */
export function untrustedContent(text: string, url: string): string {
  if (text === '') return '';
  const inside = text.replace(/<(?=\s*\/\s*untrusted_web_content)/gi, '&lt;');
  return `<untrusted_web_content url="${url.replace(/[&"<>\s]/g, escaped)}">\n${inside}\n</untrusted_web_content>`;
}

function escaped(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
