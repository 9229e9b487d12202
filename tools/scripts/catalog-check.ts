/** Prints prices that were looked up too long ago, prices about to change, and models that their vendor ends: `npm run catalog:check`. */
import { KIND_LIST } from '../../packages/core/src/kinds/kinds.js';
import { everyProvider } from './every-provider.js';

const MAX_AGE_MS = 90 * 86_400_000;

const rows = everyProvider().flatMap((provider) => [
  ...provider.models,
  ...KIND_LIST.flatMap(([, { port }]) => provider[port]?.models ?? []),
]);
const facts = rows.flatMap(({ slug, prices }) =>
  prices.map(({ asOf, confidence, validFrom, source }, place) => {
    return { model: slug, asOf, confidence, from: validFrom, until: prices[place + 1]?.validFrom, source };
  }),
);

const now = Date.now();
const isAhead = (date: string | undefined) => date !== undefined && Date.parse(date) > now;
const stale = facts.filter(
  ({ asOf, until }) => Date.parse(asOf) < now - MAX_AGE_MS && (until === undefined || isAhead(until)),
);
const scheduled = facts.filter(({ from }) => isAhead(from));
const ending = rows.filter(({ retiresOn }) => retiresOn !== undefined);

console.log(`${facts.length} prices. Older than 90 days, to be looked up again:`);
console.table(stale.sort((a, b) => Date.parse(a.asOf) - Date.parse(b.asOf)));
console.log('About to change:');
console.table(scheduled);
console.log('To be removed after the day:');
console.table(ending.map(({ slug, retiresOn, replacement }) => ({ model: slug, retiresOn, replacement })));
