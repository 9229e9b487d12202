/** The most sources of an answer; others are left out, and markers that mean them are removed. The last one can be listed, but markers have three digits. */
export const MAX_CITATIONS = 1_000;

/** The most places of a text that are told what they rest on, and the most elements that are read of any list in a reply. */
export const MAX_ANNOTATIONS = 5_000;

/** The longest text of an answer, in UTF-16 code units: several times what models write at most. A longer one is no answer. */
export const MAX_ANSWER_LENGTH = 1_500_000;

/** The most opening brackets of an answer; what follows loses its brackets. Markers, links and code have a small part of that. */
export const MAX_BRACKETS = 20_000;
