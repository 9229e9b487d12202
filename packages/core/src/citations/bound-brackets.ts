import { MAX_BRACKETS } from './reply-limits.js';

/**
 * A text with at most {@link MAX_BRACKETS} opening brackets: what stands behind the last one of them loses its brackets. Markers, which are looked at one by one,
 * are the dearest part of a text.
 */
export function boundBrackets(text: string): string {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character !== '[' && character !== '【') continue;
    count += 1;
    if (count > MAX_BRACKETS) return text.slice(0, index) + text.slice(index).replaceAll(/[[\]【】]/g, '');
  }
  return text;
}
