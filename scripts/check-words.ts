import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLongSentences, findUnwanted, MAX_SENTENCE_WORDS } from './words/word-findings.js';

/** Texts of others, and the unwanted words themselves. */
const NOT_OURS = /(?:^|\/)fixtures\/|^bench\/results\/|^pnpm-lock\.yaml$|^scripts\/words\//;

/** Folders that are still being cleaned: their findings are counted, and do not fail the check. `/^$/` holds every folder to it. */
const NOT_YET_CLEAN =
  /^(?:packages\/(?!core\/test\/|express\/|koa\/|[^/]+\/README\.md$)|docs\/providers|(?:examples|testing|bench)\/.*\.m?[jt]s$)/;

const root = join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '*.ts', '*.md', '*.mjs', '*.json', '*.yaml', '*.yml'], {
  cwd: root,
  encoding: 'utf8',
});
const files = tracked.split('\n').filter((file) => file !== '' && !NOT_OURS.test(file) && existsSync(join(root, file)));
const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

const unwanted = texts.flatMap(([file, text]) => findUnwanted(file, text));
const refused = unwanted.filter(({ file }) => !NOT_YET_CLEAN.test(file));
const shown = process.argv.includes('--all') ? unwanted : refused;
for (const { file, line, found, instead } of shown) console.log(`${file}:${line} "${found}": write ${instead}`);

// Reported, not refused: some sentences need their length.
const long = texts.filter(([file]) => file.endsWith('.md')).flatMap(([file, text]) => findLongSentences(file, text));
for (const { file, line, words } of long) console.log(`${file}:${line} a sentence of ${words} words (reported only)`);

const left = new Map<string, number>();
for (const { file } of unwanted.filter((finding) => !refused.includes(finding))) {
  const folder = file.split('/').slice(0, 2).join('/');
  left.set(folder, (left.get(folder) ?? 0) + 1);
}
for (const [folder, count] of left) console.log(`${folder}: ${count} unwanted words left to clean`);
console.log(
  `${refused.length} unwanted words, ${long.length} sentences over ${MAX_SENTENCE_WORDS} words in ${files.length} files`,
);
process.exitCode = refused.length === 0 ? 0 : 1;
