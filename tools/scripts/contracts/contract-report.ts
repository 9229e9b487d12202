import { markdownTable } from '../provider-docs/markdown-table.js';
import type { ModelResult } from './check-contract.js';
import type { ContractDocument, Deviation, KnownDocument } from './contract-documents.js';

/** The result of one provider. */
export interface ContractResult {
  readonly entry: ContractDocument;
  readonly models: readonly ModelResult[];
  /** Why a known document could not be checked. */
  readonly failure: string | null;
}

/** Whether a result fails the run: an unlisted problem, or a listed deviation that was not found. */
export function hasFailed({ entry, models, failure }: ContractResult): boolean {
  if ('missing' in entry) return false;
  const isNew = ({ slug, problems }: ModelResult) => problems.some((problem) => !deviationFor(entry, slug, problem));
  return failure !== null || models.some(isNew) || notFound(entry, models).length > 0;
}

/** A few lines for a terminal. */
export function summary({ entry, models, failure }: ContractResult): string {
  if ('missing' in entry) return `${entry.provider}: not checked. ${entry.missing}`;
  if (failure !== null) return `${entry.provider}: FAILED, ${failure}`;
  const lines = models.flatMap(({ slug, problems }) => [
    `  ${slug}: ${problems.length === 0 ? 'valid' : ''}`.trimEnd(),
    ...problems.map((problem) => {
      const known = deviationFor(entry, slug, problem);
      return known === undefined ? `    FAILED ${problem}` : `    known  ${problem} (${known.reason})`;
    }),
  ]);
  const stale = notFound(entry, models).map(
    ({ problem }) => `  FAILED ${problem} is listed as a deviation, but was not found`,
  );
  return [`${entry.provider}:`, ...lines, ...stale].join('\n');
}

/** The results for docs/verify.md. @param heading states date and tools. */
export function contractTable(results: readonly ContractResult[], heading: string): string {
  const rows = results.flatMap(({ entry, models }) =>
    'missing' in entry
      ? []
      : [[entry.provider, documentLink(entry), entry.copy.date ?? 'unknown', resultCell(entry, models)]],
  );
  const missing = results.flatMap(({ entry }) => ('missing' in entry ? [entry.provider] : []));
  const table = markdownTable([['vendor', 'document', 'date', 'result'], ...rows]);
  return [heading, table, `Without a document: ${missing.join(', ')}.`].join('\n\n');
}

function documentLink({ copy: { repository, path, commit } }: KnownDocument): string {
  return repository === null
    ? `<${path}>`
    : `[${repository}](https://github.com/${repository}/blob/${commit ?? 'HEAD'}/${path})`;
}

function resultCell(entry: KnownDocument, models: readonly ModelResult[]): string {
  const unknown = models.flatMap(({ slug, problems }) =>
    problems.filter((problem) => !deviationFor(entry, slug, problem)).map((problem) => `\`${slug}\` ${problem}`),
  );
  const known = (entry.deviations ?? []).map(({ problem, reason }) => `\`${problem.replace(/:.*/, '')}\`: ${reason}`);
  if (unknown.length + known.length === 0) return 'valid';
  return [unknown.length > 0 ? `not valid: ${unknown.join('; ')}` : 'valid', ...known].join('; except ');
}

function deviationFor({ deviations = [] }: KnownDocument, slug: string, problem: string): Deviation | undefined {
  return deviations.find(
    ({ problem: start, models }) => problem.startsWith(start) && (models === undefined || models.includes(slug)),
  );
}

/** Listed deviations without a problem. */
function notFound(entry: KnownDocument, models: readonly ModelResult[]): Deviation[] {
  const found = models.flatMap(({ slug, problems }) => problems.map((problem) => deviationFor(entry, slug, problem)));
  return (entry.deviations ?? []).filter((deviation) => !found.includes(deviation));
}
