import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { mutatedFiles } from './mutated-files.js';

interface MutationRun {
  /** A copy of the repository, whose files Stryker changes. */
  copy: string;
  /** Folder or file, relative to the repository. */
  target: string;
  /** Folder that receives the reports. */
  reports: string;
  /** Path of the Node binary that runs Stryker. */
  node: string;
  concurrency: number;
  /** Whether to try only faults that survived the last run, or whose source or tests have changed. */
  incremental: boolean;
}

function strykerConfig({ copy, target, reports, concurrency, incremental }: MutationRun) {
  return {
    // Stryker's sandbox links only the root's node_modules, not those of the packages.
    inPlace: true,
    mutate: mutatedFiles(copy, target),
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation/ignore-messages.mjs'],
    ignorers: ['messages'],
    vitest: { configFile: 'tools/scripts/mutation/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    // Module-level code belongs to no test: each such fault would need a run of all tests.
    ignoreStatic: true,
    // The file is always written, but only read with --incremental.
    incremental: true,
    force: !incremental,
    incrementalFile: join(reports, 'incremental.json'),
    concurrency,
    // A timeout counts as a noticed fault. Slow tests on a busy machine must not.
    timeoutMS: 12_000,
    timeoutFactor: 2,
    dryRunTimeoutMinutes: 15,
    reporters: ['clear-text', 'json', 'html', 'progress-append-only'],
    clearTextReporter: { logTests: false, allowColor: false },
    jsonReporter: { fileName: join(reports, 'mutation.json') },
    htmlReporter: { fileName: join(reports, 'mutation.html') },
    thresholds: { high: 95, low: 90, break: 90 },
    warnings: { slow: false },
    allowConsoleColors: false,
  };
}

/** Runs Stryker. @returns its exit code: 0 if 90 % of the faults are noticed. */
export function runStryker(run: MutationRun): number {
  const config = join(run.copy, 'stryker.config.json');
  writeFileSync(config, JSON.stringify(strykerConfig(run), undefined, 2));
  const stryker = join(run.copy, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const env = {
    ...process.env,
    // Stryker starts its workers with the first `node` of the path.
    PATH: `${dirname(run.node)}${delimiter}${process.env.PATH ?? ''}`,
    MUTATION_TARGET: run.target,
  };
  const { status } = spawnSync(run.node, [stryker, 'run', config], { cwd: run.copy, env, stdio: 'inherit' });
  console.log(`Reports: ${run.reports}`);
  return status ?? 1;
}
