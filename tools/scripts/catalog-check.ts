/** Prints prices that were looked up too long ago, and prices about to change: `npm run catalog:check`. */
import { LISTED_ROWS } from '../../packages/core/src/catalog/listed-rows.js';
import { everyProvider } from './every-provider.js';

const MAX_AGE_MS = 90 * 86_400_000;

const listed = Object.values(LISTED_ROWS).flat();
const facts = [
  ...listed.map(({ id, provenance }) => ({ model: id, ...provenance, from: undefined, until: undefined })),
  ...everyProvider().flatMap(({ models }) =>
    models.flatMap(({ slug, prices }) =>
      prices.map((price, place) => ({
        model: slug,
        ...price,
        from: price.validFrom,
        until: prices[place + 1]?.validFrom,
      })),
    ),
  ),
].map(({ model, asOf, confidence, source, from, until }) => ({ model, asOf, confidence, from, until, source }));

const now = Date.now();
const isAhead = (date: string | undefined) => date !== undefined && Date.parse(date) > now;
const stale = facts.filter(
  ({ asOf, until }) => Date.parse(asOf) < now - MAX_AGE_MS && (until === undefined || isAhead(until)),
);
const scheduled = facts.filter(({ from }) => isAhead(from));

console.log(`${facts.length} prices. Older than 90 days, to be looked up again:`);
console.table(stale.sort((a, b) => Date.parse(a.asOf) - Date.parse(b.asOf)));
console.log('About to change:');
console.table(scheduled);
