import { Command, InvalidArgumentError } from 'commander';

export interface TryOptions {
  readonly slug: string;
  readonly question: string;
  /** Prints the reply alone. */
  readonly raw: boolean;
  /** The name of the fixture to write; `undefined` for none. */
  readonly record: string | undefined;
  /** Where to write it; `undefined` for the provider's own folder. */
  readonly into: string | undefined;
  /** The provider's settings beside key and address. */
  readonly settings: Readonly<Record<string, unknown>>;
}

interface Output {
  out(text: string): void;
  err(text: string): void;
}

const DEFAULT_FIXTURE_NAME = 'recorded';

/** @throws CommanderError after it has printed what is wrong, or the help. */
export function parseTryOptions(argv: readonly string[], { out, err }: Output): TryOptions {
  const command = new Command('npm run try --')
    .description(
      'asks a provider a real question with the key of the environment, and shows our answer beside its reply',
    )
    .argument('<slug>', 'the model, such as exa/answer')
    .argument('<question>')
    .option('--raw', 'prints the reply alone, as it came', false)
    .option('--record [name]', 'writes the reply as a fixture of the provider, without the key', fixtureName)
    .option('--into <folder>', 'where --record writes, instead of the provider’s fixtures')
    .option('--settings <json>', 'more settings of the provider: \'{"snippets":true}\'', jsonObject, {})
    .addHelpText('after', '\nThe key is read from <PROVIDER>_API_KEY, another address from <PROVIDER>_BASE_URL.')
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .parse([...argv], { from: 'user' });
  const [slug = '', question = ''] = command.args;
  const { raw, record, into, settings } = command.opts<{
    raw: boolean;
    record?: string | true;
    into?: string;
    settings: Record<string, unknown>;
  }>();
  return { slug, question, raw, record: record === true ? DEFAULT_FIXTURE_NAME : record, into, settings };
}

function fixtureName(name: string): string {
  if (/^[a-z\d]+(?:-[a-z\d]+)*$/.test(name)) return name;
  throw new InvalidArgumentError('Lower-case letters, digits and dashes are wanted.');
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below like any other text that is no object.
  }
  throw new InvalidArgumentError('A JSON object is wanted.');
}
