/** Prints the prices that were looked up too long ago and those about to change: `npm run catalog:check`. */
import { Command } from 'commander';
import { MAX_AGE_DAYS, reportCatalog } from './catalog/catalog-report.js';
import { shippedPriceFacts } from './catalog/price-facts.js';

const { strict } = new Command('npm run catalog:check --')
  .description('prints the prices that were looked up too long ago, and those about to change')
  .option('--strict', `exits with 1 when a price was looked up more than ${MAX_AGE_DAYS} days ago`, false)
  .parse()
  .opts<{ strict: boolean }>();
const { stale, text } = reportCatalog(shippedPriceFacts(), Date.now());
console.log(text);
if (strict && stale.length > 0) process.exitCode = 1;
