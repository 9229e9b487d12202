import { describe, expect, it } from 'vitest';
import { isEndInOrder } from './finish-words.js';

describe('isEndInOrder', () => {
  it.each([
    ...`
      stop STOPPED end end_turn end_of_text end-of-sequence endoftext eos eos_token eot eot_id im_end <|im_end|>
      <|eot_id|> <end_of_turn> COMPLETE completed done finish finished normal success succeeded stop_sequence
      stop_token FINISH_REASON_STOP REASON_STOP reason_end_turn`
      .trim()
      .split(/\s+/),
    'end of turn',
    ' stop ',
  ])('knows %j', (word) => {
    expect(isEndInOrder(word)).toBe(true);
  });

  it.each([
    ...`
      stop_error error_stop abnormal_stop timeout_stop unexpected_end not_finished not_stop ERROR_COMPLETE stop_limit
      forced_stop INCOMPLETE insufficient_system_resource abnormal length MAX_TOKENS safety error finish_reason_error
      reason_ <|stop unstop`
      .trim()
      .split(/\s+/),
    'a new word',
  ])('does not recognize %j', (word) => {
    expect(isEndInOrder(word)).toBe(false);
  });
});
