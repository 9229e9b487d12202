/** Checks the providers' requests against the OpenAPI documents of their vendors: `npm run test:contracts -- --documents <folder>`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { parse } from 'yaml';
import { checkContract } from './contracts/check-contract.js';
import { CONTRACT_DOCUMENTS, type ContractDocument } from './contracts/contract-documents.js';
import { type ContractResult, contractTable, hasFailed, summary } from './contracts/contract-report.js';
import { withGenerated } from './provider-docs/generated-part.js';

const DOCS = join(import.meta.dirname, '../../docs/verify.md');

const command = new Command('npm run test:contracts --')
  .description('compares every provider’s requests with the vendor’s OpenAPI document')
  .option('--documents <folder>', 'where the documents are', process.env['CONTRACTS_DOCUMENTS'])
  .option('--only <providers...>', 'only these providers')
  .option('--write', 'writes the results into docs/verify.md', false)
  .parse();
const { documents, only, write } = command.opts<{ documents?: string; only?: string[]; write: boolean }>();
if (documents === undefined) command.error('a folder of documents is needed: --documents, or CONTRACTS_DOCUMENTS');
if (write && only !== undefined) command.error('--write needs the results of all providers');

const results: ContractResult[] = [];
for (const entry of CONTRACT_DOCUMENTS.filter(({ provider }) => only === undefined || only.includes(provider))) {
  const result = await check(entry, documents ?? '');
  results.push(result);
  console.log(summary(result));
}
if (write) {
  const heading = `Found on ${new Date().toISOString().slice(0, 10)}:`;
  writeFileSync(DOCS, withGenerated(readFileSync(DOCS, 'utf8'), 'contracts', contractTable(results, heading)));
}
if (results.length === 0 || results.some(hasFailed)) process.exitCode = 1;

async function check(entry: ContractDocument, folder: string): Promise<ContractResult> {
  if ('missing' in entry) return { entry, models: [], failure: null };
  try {
    const document: unknown = parse(readFileSync(join(folder, entry.file), 'utf8'), { maxAliasCount: -1 });
    return { entry, models: await checkContract(entry, document), failure: null };
  } catch (error) {
    return { entry, models: [], failure: error instanceof Error ? error.message : String(error) };
  }
}
