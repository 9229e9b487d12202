import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Measured } from './measure.js';

/** Far longer than the measurement, which takes some seconds. */
export const MEASURING_MS = 600_000;

/** Measures in a separate process. */
export async function measure(what: 'functions' | 'providers'): Promise<Measured> {
  const file = join(import.meta.dirname, 'measure.ts');
  const script = ['--conditions=@searchgate/source', '--import', 'tsx/esm', file, what];
  const { stdout } = await promisify(execFile)(process.execPath, script, { maxBuffer: 1e8 });
  return JSON.parse(stdout) as Measured;
}
