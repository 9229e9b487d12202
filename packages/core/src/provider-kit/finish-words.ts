import type { FinishReason } from './completeness.js';

/** The `finish_reason`s of OpenAI, of Anthropic, Google and other vendors, and of models behind routers (seen up to 2026-11). Any other reason is a failure. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ...meaning('complete', 'stop end_turn stop_sequence eos eos_token complete completed'),
  ...meaning('truncated', 'length max_tokens max_output_tokens'),
  ...meaning('cut', 'model_context_window_exceeded continuation'),
  ...meaning(
    'refused',
    'content_filter sensitive refusal safety prohibited_content blocklist recitation spii language model_armor',
  ),
]);

function meaning(finish: FinishReason, words: string): [string, FinishReason][] {
  return words.split(' ').map((word) => [word, finish]);
}

/** The meaning of a `finish_reason`. */
export function finishOfWord(word: string | null | undefined): FinishReason {
  return word ? (FINISH_REASONS.get(word.toLowerCase()) ?? 'failed') : 'unproven';
}

/**
 * Further words of models and runs for a normal end. Vendors do not document their words, so only whole words count: `stop_error` and `not_finished`
 * contain some of them.
 */
const ENDS_IN_ORDER: ReadonlySet<string> = new Set(
  'stopped stop_token end end_of_text end_of_turn end_of_sequence endoftext eot eot_id im_end done finish finished normal success succeeded'.split(
    ' ',
  ),
);

/** Whether a word of any vendor, such as `FINISH_REASON_STOP`, `end of turn` or `<|im_end|>`, means that a run has ended normally. */
export function isEndInOrder(word: string): boolean {
  return nativeFinish(word) === 'complete';
}

/** The meaning of the finish reason of a model behind a router. A value that is no text counts as a failure. */
export function nativeFinish(word: unknown): FinishReason {
  if (typeof word !== 'string') return 'failed';
  const bare = bareWord(word);
  return FINISH_REASONS.get(bare) ?? (ENDS_IN_ORDER.has(bare) ? 'complete' : 'failed');
}

function bareWord(word: string): string {
  const small = word.trim().toLowerCase().replaceAll(/[ -]/g, '_');
  return small.replace(/^<\|?(\w+)\|?>$/, '$1').replace(/^(?:finish_)?reason_/, '');
}
