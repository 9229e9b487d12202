import { type Argument, type Command, InvalidArgumentError, type Option } from 'commander';

/**
 * Lets a command line name all its wrong values at once: commander stops at the first.
 *
 * @returns the mistakes so far, as lines.
 */
export function collectMistakes(program: Command): () => string[] {
  const mistakes: string[] = [];

  function wrap(part: Pick<Option | Argument, 'parseArg'>, what: string): void {
    const { parseArg } = part;
    if (parseArg === undefined) return;
    part.parseArg = <T>(value: string, previous: T): T => {
      try {
        return parseArg(value, previous);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        mistakes.push(`error: ${what} '${value}' is invalid. ${error.message}\n`);
        return previous;
      }
    };
  }

  function wrapAll(command: Command): void {
    for (const option of command.options) wrap(option, `option '${option.flags}' argument`);
    for (const argument of command.registeredArguments)
      wrap(argument, `command-argument value for '${argument.name()}'`);
    for (const each of command.commands) wrapAll(each);
  }

  wrapAll(program);
  program.hook('preAction', () => {
    const last = mistakes.pop();
    if (last !== undefined) program.error(last.trimEnd());
  });
  return () => mistakes.splice(0);
}
