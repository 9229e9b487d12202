/** Values that every storage must refuse. */
const wrong = <T>(...values: readonly unknown[]) => values as readonly T[];

export const BAD_IDS = wrong<string>(
  '',
  ' ',
  '.',
  '..',
  'two words',
  'tab\t',
  'line\n',
  'é',
  '💶',
  'x'.repeat(129),
  'nul\0',
  42,
);
export const BAD_AMOUNTS = wrong<bigint>(-1n, 2n ** 62n + 1n, 5, '5');
export const BAD_TIMES = wrong<number>(Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, '5');
export const TOO_LONG = 'x'.repeat(1_001);
/** Some engines cannot store these texts. */
export const UNFIT_TEXTS = ['nul\0', '\ud83d', '\udd11\ud83d'];
const UNTIDY = ['', ' ', ' a', 'a ', 'x'.repeat(65), '\u{1f4b6}'.repeat(65), 'tab\tbed', 'line\n', 'a\u2028b'];
const FILLERS = ['\u200d', '\u200b', 'zero\u200bwidth', '\u115f', '\u1160', '\u3164', '\uffa0', 'a\u3164b'];
/** Letters of an invalid flag. */
const FLAGS = ['\u{e0067}', '\u{1f3f4}\u{e0067}', '\u{1f3f4}\u{e007f}', 'a\u{e0067}\u{e007f}'];
export const BAD_TAGS = wrong<string>(...UNTIDY, ...FILLERS, ...FLAGS, ...UNFIT_TEXTS, 5, null);
export const BAD_DAYS = wrong<number>(Number.NaN, -1, 0.5, 2_932_897, '5', null);
