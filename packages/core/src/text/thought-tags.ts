import { matchAt } from './marker-forms.js';

/** A tag around thoughts. */
export interface ThoughtTag {
  readonly length: number;
  readonly kind: 'opens' | 'closes' | 'empty';
}

const WORD = '(?:think(?:ing)?|thoughts?|reasoning|reflections?|scratch_?pad|monologue)';
const NAME = `(?:ant|(?:[a-z]{1,20}[_▁:-]){1,4})?${WORD}(?:[_▁:-][a-z]{1,20}){0,3}`;
const BEFORE = String.raw`(?:[<＜◁]|&lt;)([\s|｜/]{0,9})`;
const ATTRIBUTES = String.raw`[\s/|｜:=][^<>＜＞◁▷]{0,150}`;
/** The last two forms are those of Magistral, and of the channels of gpt-oss (model cards as of 2025-09; medium confidence). */
const TAG = new RegExp(
  String.raw`${BEFORE}(${NAME})(?:${ATTRIBUTES}?)?(?:[>＞▷]|&gt;)|\[(\/?)THINK\]|(?:<\|start\|>assistant)?<\|channel\|>(analysis|commentary|final)[^<]{0,60}<\|message\|>`,
  'iy',
);
/** What may become a tag. */
const BEGUN = new RegExp(
  String.raw`^(?:&(?:l(?:t;?)?)?|${BEFORE}(?:[\w▁:-]{0,60}|${NAME}(?:${ATTRIBUTES})?(?:&(?:gt?)?)?)|\[\/?(?:T(?:H(?:I(?:NK?)?)?)?)?|<\|[a-z|<> ]{0,120})$`,
  'i',
);
const LONGEST = 240;

/** What every tag has. Most texts have nothing of it, and need no reading. */
export const TAG_WORD = new RegExp(`${WORD}|<\\|channel`, 'i');

/** The tag at the beginning of a text; `null` for none, `undefined` if later text decides. */
export function thoughtTagAt(text: string, isEnded: boolean): ThoughtTag | null | undefined {
  const found = matchAt(TAG, text, 0);
  // In lower case, `[think]` may be the text of a link.
  if (found !== null && (!text.startsWith('[') || found[0] === found[0].toUpperCase())) {
    const [tag, before = '', name = '', bracketed = '', channel = ''] = found;
    const isEnd =
      `${before}${bracketed}`.includes('/') || /(?:^|[_▁:-])end(?![a-z])/i.test(name) || channel === 'final';
    return { length: tag.length, kind: isEnd ? 'closes' : /\/\s*[>＞▷]$/.test(tag) ? 'empty' : 'opens' };
  }
  const rest = text.slice(0, LONGEST);
  return !isEnded && rest.length < LONGEST && BEGUN.test(rest) ? undefined : null;
}
