import { z } from 'zod';
import { looseList, optionalNumbers, optionalText } from '../../provider-kit/reply-fields.js';
import type { CitedPiece } from '../../text/annotated-text.js';

const cell = z.union([z.string(), z.object({ snippet: optionalText, reference_indexes: optionalNumbers })]).catch('');

/** A part of an answer: a paragraph, heading, list, table or code block; new types come up, most with a `snippet`. */
export interface TextBlock {
  readonly type?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly snippet?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly list?: readonly TextBlock[] | null | undefined;
  /** Within a block that folds out, as in Google's AI Overview (not confirmed for AI Mode, 2026-11-26). */
  readonly text_blocks?: readonly TextBlock[] | null | undefined;
  readonly table?: readonly (readonly z.output<typeof cell>[])[] | null | undefined;
  readonly reference_indexes?: readonly number[] | null | undefined;
}

export const textBlock: z.ZodType<TextBlock> = z.object({
  type: optionalText,
  title: optionalText,
  snippet: optionalText,
  code: optionalText,
  list: z.lazy(() => looseList(textBlock).nullish().catch(null)),
  text_blocks: z.lazy(() => looseList(textBlock).nullish().catch(null)),
  table: z.array(z.array(cell).catch([])).nullish().catch(null),
  reference_indexes: optionalNumbers,
});

/** The text of blocks as Markdown, for replies without any; each piece with the numbers of its references, from 1. */
export function piecesOf(blocks: readonly TextBlock[]): CitedPiece[] {
  return blocks.flatMap((block) => [
    ...headOf(block, block.type === 'heading' ? '### ' : ''),
    ...bodyOf(block, ''),
    gap('\n'),
    ...piecesOf(block.text_blocks ?? []),
  ]);
}

function headOf({ title, snippet, reference_indexes }: TextBlock, prefix: string): CitedPiece[] {
  const text = [title, snippet].filter(Boolean).join(': ');
  return text === '' ? [] : [gap(prefix), { text, positions: positionsOf(reference_indexes) }, gap('\n')];
}

function bodyOf({ code, list, table }: TextBlock, indent: string): CitedPiece[] {
  const items = (list ?? []).flatMap((item) => [...headOf(item, `${indent}- `), ...bodyOf(item, `${indent}  `)]);
  const rows = (table ?? [])
    .filter((cells) => cells.length > 0)
    .flatMap((cells, row) => {
      const rule = row === 0 ? `${'| --- '.repeat(cells.length)}|\n` : '';
      return [...cells.flatMap(cellPieces), gap(`|\n${rule}`)];
    });
  return [...(code ? [gap(`\`\`\`\n${code}\n\`\`\`\n`)] : []), ...items, ...rows];
}

function cellPieces(content: z.output<typeof cell>): CitedPiece[] {
  const { snippet, reference_indexes } = typeof content === 'string' ? { snippet: content } : content;
  return [gap('| '), { text: snippet ?? '', positions: positionsOf(reference_indexes) }, gap(' ')];
}

function positionsOf(indexes: TextBlock['reference_indexes']): number[] {
  return (indexes ?? []).map((index) => index + 1);
}

function gap(text: string): CitedPiece {
  return { text, positions: [] };
}
