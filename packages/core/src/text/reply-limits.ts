/** The most sources of an answer; others are left out, and markers that mean them are removed. The last one can be listed, but markers have three digits. */
export const MAX_CITATIONS = 1_000;

/** The most annotations of a text, and the most elements that are read of any list in a reply. */
export const MAX_ANNOTATIONS = 5_000;

/** The longest text of an answer, in UTF-16 code units: several times what models write at most. A longer one is no answer. */
export const MAX_ANSWER_LENGTH = 1_500_000;

/** The most brackets of an answer, opening and closing ones; later ones are removed. The markers, links and code of real answers have far fewer. */
export const MAX_BRACKETS = 20_000;

/** The most code passages, links and runs of markers that are looked for where markers are put into a text. */
export const MAX_TOKENS = 10_000;
