import { readFileSync } from 'node:fs';
import { problem } from './problems.js';

/** Reads the configuration's file. @throws ConfigurationError where it is not there, or is no JSON. */
export function readJsonFile(path: string): unknown {
  return parseJson(readText(path));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const found =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : String((error as Error).message);
    throw problem('SEARCHGATE_CONFIG', `${JSON.stringify(path)} (${found})`, 'the path of a JSON file');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message may quote the text, and with it a secret: only the position is shown.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw problem(
      'SEARCHGATE_CONFIG',
      `no JSON${position === undefined ? '' : ` from ${placeOf(text, Number(position))} on`}`,
      'a JSON object',
    );
  }
}

function placeOf(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
