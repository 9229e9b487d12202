import type { Token, Tokens } from 'marked';

const ENTITIES: Readonly<Record<string, string>> = { nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Inline Markdown as plain text: `code spans` stay, images, HTML and the targets of links go. */
export function plainText(tokens: readonly Token[] = []): string {
  const text = tokens.map(inlineText).join('');
  return text.replace(/\s+/g, ' ').trim();
}

function inlineText(token: Token): string {
  switch (token.type) {
    case 'codespan':
      return `\`${token['text'] as string}\``;
    case 'image':
    case 'html':
      return '';
    case 'br':
      return ' ';
    default: {
      const { tokens, text = '' } = token as Tokens.Generic & { readonly text?: string };
      return tokens === undefined ? readable(text) : tokens.map(inlineText).join('');
    }
  }
}

/** Numbers in square brackets become `(1)`: in an answer, `[1]` is a citation marker. */
function readable(text: string): string {
  return text
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\[(\d{1,3})\]/g, '($1)');
}

/** A code block with a fence that nothing inside it can close. */
export function fenced({ text, lang = '' }: Pick<Tokens.Code, 'text' | 'lang'>): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${lang.split(/\s/, 1)[0] ?? ''}\n${text}\n${fence}`;
}
