import { ADMISSION, ASKED_BOOKS, RATES } from '../lua/admission.js';
import { KEY_COUNTERS, ORGANIZATION_BOOKS } from '../lua/books.js';
import { IN_HAND } from '../lua/in-hand.js';
import { script } from '../lua/opening.js';

const ASKED = [
  IN_HAND,
  ORGANIZATION_BOOKS,
  KEY_COUNTERS,
  RATES,
  'local organizationId, keyId, limitsText = unpack(ARGV, 4, 6)',
  ASKED_BOOKS,
  ADMISSION,
].join('');

/** Organization, key, limits of admission. Gives `admitted` or who refuses, and the words of the rates. */
export const ADMIT = script(['org-counters', 'key-counters'])`${ASKED}
if refuser then
  drainRatesFromNow()
elseif limited then
  keyWord, word = wordsOf(limits, keyUsed and keyUsed + 1, used and used + 1)
  if keyUsed then saveRate(keyBooks, keyId, keyText, keyWord) end
  if used then saveRate(organizationBooks, organizationId, organizationText, word) end
end
saveHashes()
return { refuser or 'admitted', keyWord, word }
`;

/** Organization, key, limits of admission. Gives the words of the rates. */
export const RATES_USED = script(['org-counters', 'key-counters'])`${ASKED}
if limited then keyWord, word = wordsOf(limits, keyUsed, used) end
return { keyWord, word }
`;
