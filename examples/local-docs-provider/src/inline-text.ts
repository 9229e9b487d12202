const ENTITIES: Readonly<Record<string, string>> = { nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const CODE_SPAN_OR_ESCAPE = /(`+)(?:(?!\1)[\s\S])+\1(?!`)|\\[\\`*_{}[\]()#+.!|&<>~-]/g;

/**
 * Turns the inline Markdown of one block into readable plain text: images, badges, HTML, link targets and emphasis go, `code spans` stay.
 *
 * What must not be touched waits in `kept`, behind its number between two private-use characters. Numbers in square brackets become `(1)`,
 * since `[1]` in an answer is a citation marker.
 */
export function inlineText(markdown: string): string {
  const kept: string[] = [];
  const keep = (text: string) => `\uE000${kept.push(text.startsWith('\\') ? text.slice(1) : text) - 1}\uE001`;
  return markdown
    .replace(CODE_SPAN_OR_ESCAPE, keep)
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/\[\s*\](?:\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/\[((?:[^[\]]|\[[^\]]*\])+)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<(https?:[^>\s]+)>/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, ' ')
    .replace(/(\*\*\*|\*\*|___|__)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)/g, '$1')
    .replace(/&(nbsp|amp|lt|gt|quot|apos);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\[(\d{1,3})\]/g, '($1)')
    .replace(/\uE000(\d+)\uE001/g, (_, index: string) => kept[Number(index)] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}
