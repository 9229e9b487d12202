import { type Command, InvalidArgumentError } from 'commander';

/** Reads a comma-separated list of known words, for an option of commander. */
export function listOf<Choice extends string>(known: readonly Choice[]): (text: string) => Choice[] {
  return (text) =>
    text.split(',').map((word) => {
      const choice = known.find((each) => each === word);
      if (choice === undefined) throw new InvalidArgumentError(`Known are: ${known.join(', ')}.`);
      return choice;
    });
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** npm also passes on the `--` before the arguments. */
export function parse<Options extends object>(command: Command): Options {
  const args = process.argv.slice(2).filter((argument) => argument !== '--');
  return command.parse(args, { from: 'user' }).opts<Options>();
}

export async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now();
  process.stderr.write(`${name} … `);
  const result = await work();
  process.stderr.write(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
  return result;
}
