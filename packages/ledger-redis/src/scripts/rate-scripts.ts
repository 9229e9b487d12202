import { ADMISSION, ASKED_BOOKS } from '../lua/admission.js';
import { KEY_BOOKS, ORGANIZATION_BOOKS } from '../lua/books.js';
import { IN_HAND } from '../lua/in-hand.js';
import { script } from '../lua/opening.js';

const ASKED = [
  IN_HAND,
  ORGANIZATION_BOOKS,
  KEY_BOOKS,
  'local organizationId, keyId, limits = unpack(ARGV, 4, 6)',
  ASKED_BOOKS,
  ADMISSION,
].join('');

/** Organization, key, limits of admission. Gives `admitted` or who refuses, and the words of the rates. */
export const ADMIT = script(
  ['org-books', 'key-books'],
  ASKED,
  `
if refuser then
  drainRatesFromNow()
elseif limited then
  countRates(1)
  saveRates()
end
saveHashes()
return { refuser or 'admitted', keyWord, word }
`,
);

/** Organization, key, limits of admission. Gives the words of the rates. */
export const RATES_USED = script(
  ['org-books', 'key-books'],
  ASKED,
  `
if limited then countRates(0) end
return { keyWord, word }
`,
);
