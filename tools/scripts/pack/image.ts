import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.js';

const FOLDER = 'packages/server/docker';
const BUILD_TIMEOUT_MS = 1_800_000;
const TIMEOUT_MS = 120_000;

/** Runs the build script of the container image in a copy of the repository, and starts the result as the image would. */
export function checkImage(scratch: string): void {
  const dockerfile = readFileSync(join(root, FOLDER, 'Dockerfile'), 'utf8');
  const [, script, target] = /^RUN (\S+\/build\.sh) (\S+)$/m.exec(dockerfile) ?? [];
  const program = /ln -s (\S+) \/usr\/local\/bin\/searchgate /.exec(dockerfile)?.[1];
  const health = /^HEALTHCHECK .*CMD \["node", "(\S+)"\]$/m.exec(dockerfile)?.[1];
  assert(script !== undefined && target !== undefined && program !== undefined && health !== undefined);

  const source = copySource(join(scratch, 'image-source'));
  const built = join(scratch, 'image');
  run(join(source, script), [built], { cwd: source, timeoutMs: BUILD_TIMEOUT_MS });
  const inBuilt = (path: string) => path.replace(target, built);
  run('node', [join(root, 'tools/scripts/pack/start-image.mjs'), inBuilt(program), inBuilt(health)], {
    cwd: scratch,
    timeoutMs: TIMEOUT_MS,
  });
  console.log('ok  What the image holds starts, is ready, and finds the driver of Redis, MCP and the SDK for spans');
}

/** Copies the files of the repository as an image build gets them. @returns their folder. */
function copySource(folder: string): string {
  for (const file of run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).split('\0')) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
  return folder;
}
