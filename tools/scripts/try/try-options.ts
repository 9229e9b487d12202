import { Command, InvalidArgumentError } from 'commander';

export interface TryOptions {
  readonly slug: string;
  readonly question: string;
  /** Prints only the reply. */
  readonly raw: boolean;
  /** The name of the fixture to write; `undefined` for none. */
  readonly record: string | undefined;
  /** The folder of the fixture; `undefined` for the provider's own folder. */
  readonly into: string | undefined;
  /** The provider's settings besides key and address. */
  readonly settings: Readonly<Record<string, unknown>>;
}

interface Output {
  out(text: string): void;
  err(text: string): void;
}

const DEFAULT_FIXTURE_NAME = 'recorded';

/** @throws CommanderError after printing the problem or the help. */
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
  throw new InvalidArgumentError('Expected lower-case letters, digits and dashes.');
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below, like any text that is not an object.
  }
  throw new InvalidArgumentError('Expected a JSON object.');
}
