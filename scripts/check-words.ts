import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLongSentences, findUnwanted, MAX_SENTENCE_WORDS } from './words/word-findings.js';

/** Texts of others, migrations (which never change once they have run), words that people ask with, and the unwanted words themselves. */
const NOT_OURS =
  /(?:^|\/)fixtures\/|^bench\/results\/|^pnpm-lock\.yaml$|^scripts\/words\/|^examples\/local-docs-provider\/(?:src\/(?:word(?:ing)?s|unanswered)\.json|test\/(?:chat-exams\.json|strangers-(?:questions\.ts|exams\.json)))$|^packages\/ledger-postgres\/src\/schema\/(?:migrations|money-tables)\.ts$/;

const root = join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '*.ts', '*.md', '*.mjs', '*.json', '*.yaml', '*.yml'], {
  cwd: root,
  encoding: 'utf8',
});
const files = tracked.split('\n').filter((file) => file !== '' && !NOT_OURS.test(file) && existsSync(join(root, file)));
const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

const unwanted = texts.flatMap(([file, text]) => findUnwanted(file, text));
for (const { file, line, found, instead } of unwanted) console.log(`${file}:${line} "${found}": write ${instead}`);

// Reported, not refused: some sentences need their length.
const long = texts.filter(([file]) => file.endsWith('.md')).flatMap(([file, text]) => findLongSentences(file, text));
for (const { file, line, words } of long) console.log(`${file}:${line} a sentence of ${words} words (reported only)`);

console.log(
  `${unwanted.length} unwanted words, ${long.length} sentences over ${MAX_SENTENCE_WORDS} words in ${files.length} files`,
);
process.exitCode = unwanted.length === 0 ? 0 : 1;
