/** Checks the requests of our providers with the OpenAPI documents of their vendors: `npm run test:contracts -- --documents <folder>`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { checkContract } from './contracts/check-contract.js';
import { CONTRACT_DOCUMENTS, type ContractDocument } from './contracts/contract-documents.js';
import { type ContractResult, contractTable, hasFailed, summary } from './contracts/contract-report.js';
import { installPrism, PRISM_VERSION, parseYaml } from './contracts/prism.js';
import { withGenerated } from './provider-docs/generated-part.js';

const DOCS = join(import.meta.dirname, '../docs/contracts.md');

const command = new Command('npm run test:contracts --')
  .description(
    'sends every provider’s requests to a mock server that checks them against the vendor’s OpenAPI document',
  )
  .option('--documents <folder>', 'where the documents are', process.env['CONTRACTS_DOCUMENTS'])
  .option('--only <providers...>', 'only these providers')
  .option('--write', 'writes the results into docs/contracts.md', false)
  .parse();
const { documents = noFolder(), only, write } = command.opts<{ documents?: string; only?: string[]; write: boolean }>();
if (write && only !== undefined) command.error('--write needs the results of all providers');

const results: ContractResult[] = [];
await installPrism();
for (const entry of CONTRACT_DOCUMENTS.filter(({ provider }) => only === undefined || only.includes(provider))) {
  const result = await check(entry, documents);
  results.push(result);
  console.log(summary(result));
}
if (write) {
  const heading = `Found on ${new Date().toISOString().slice(0, 10)} with Prism ${PRISM_VERSION}:`;
  writeFileSync(DOCS, withGenerated(readFileSync(DOCS, 'utf8'), 'contracts', contractTable(results, heading)));
}
if (results.length === 0 || results.some(hasFailed)) process.exitCode = 1;

function noFolder(): never {
  return command.error('a folder of documents is needed: --documents, or CONTRACTS_DOCUMENTS');
}

async function check(entry: ContractDocument, folder: string): Promise<ContractResult> {
  if ('missing' in entry) return { entry, models: [], failure: null };
  const file = join(folder, entry.file);
  if (!existsSync(file)) return { entry, models: [], failure: `there is no ${file}` };
  try {
    return { entry, models: await checkContract(entry, parseYaml(readFileSync(file, 'utf8'))), failure: null };
  } catch (error) {
    return { entry, models: [], failure: error instanceof Error ? error.message : String(error) };
  }
}
