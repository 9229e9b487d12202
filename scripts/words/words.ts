/** A word or phrase that must not be used, and what to write instead. */
export interface UnwantedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** British spellings and literary turns, which readers with English as a second language do not know. */
export const UNWANTED: readonly UnwantedWord[] = [
  word('(?:re|dis)?organis\\w*', 'organiz…'),
  word(
    '(?:normal|serial|recogn|initial|author|summar|optim|synchron|minim|maxim|categor|emphas|real)is(?:e|ed|es|ing|ation)',
    '…ize',
  ),
  word('(?:behavi|fav|col|hon|neighb|lab)our\\w*', '…or'),
  word('cancell(?:ed|ing)', 'canceled, canceling'),
  word('(?:travell|modell|labell|signall)(?:ed|ing)', 'one l'),
  word('(?:catalogue|dialogue|programme|centre|metre|defence|licence|grey)s?', 'the US spelling'),
  word('whoever|whomever|whosoever', 'the role: "a caller who", "the host"'),
  word('nobody|somebody|anybody|everybody', 'the role, or "no one", "someone", "anyone"'),
  word('whilst|amongst|lest|hither|thereof|nought|naught|oft|shall', 'a plain word'),
  word('come what may|in vain|for ever and ever|all the same|of its own accord', 'a plain word, or nothing'),
  word('for ever', 'forever, or "always"'),
  word('slips?', 'mistake, typing mistake'),
  word('afresh|anew', 'again, or "start over"'),
  word('verbs?', 'operation'),
  word('the books', 'the ledger'),
  word('(?:is|are|was|were|be) told|told (?:of|apart)|unless told', 'gets, sees, is reported, is configured'),
  word('(?:that|which) (?:is|are) none(?! of)', 'invalid'),
  word('stands? behind', 'follows, is based on'),
  word('(?:as|just) it stands|without a word|nothing but|but for', 'unchanged, abruptly, only, except'),
  word('judged', 'checked'),
  word('meanwhile', '"for that time", "since", or nothing'),
  word('foresaw|foreseen', 'expected'),
  word('stumbl(?:e|es|ed|ing)', 'fail'),
  word('the door|no door', 'the thing meant'),
];

/** What others have named: the only places where such a word may stand. */
export const EXCEPTIONS: readonly { readonly file: RegExp; readonly found: RegExp }[] = [
  // A status of OpenAI's, Google's and Perplexity's replies.
  { file: /^packages\/core\/src\/provider/, found: /^cancelled$/i },
  // A user of Unix.
  { file: /^testing\/servers\/(?:README\.md|src\/unprivileged-user\.ts)$/, found: /^nobody$/ },
];

/** A phrase is found across the end of a line, also in a comment. */
function word(source: string, instead: string): UnwantedWord {
  const acrossLines = source.replaceAll(' ', String.raw`(?: |\s*\n\s*(?:\*|//)?\s*)`);
  return { pattern: new RegExp(String.raw`\b(?:${acrossLines})\b`, 'gi'), instead };
}
