import { parseArgs } from 'node:util';
import { ConfigurationError } from '@searchgate/core';
import manifest from '../../package.json' with { type: 'json' };
import type { AdminContext } from '../admin/runner.js';
import type { Environment } from '../environment.js';
import { readSecret } from '../read-secret.js';
import { HELP, isHelp, USAGE } from './help.js';

/** Version of this package. */
const VERSION: string = manifest.version;

/** The streams of a program. */
export interface Terminal {
  readonly stdin: AdminContext['stdin'];
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs `searchgate`. @returns the exit code; `undefined` for a running server, whose process ends by itself. */
export async function runProgram(
  [command = 'start', ...rest]: readonly string[],
  environment: Environment,
  { stdin, stdout, stderr }: Terminal,
): Promise<number | undefined> {
  if (command === 'admin') {
    const { runAdminProcess } = await import('../admin/run-admin.js');
    return runAdminProcess(rest, { command: adminCommand(environment), environment, stdin });
  }
  if (command === 'eval') {
    const { runEvalProcess } = await import('../eval/eval-command.js');
    return runEvalProcess(rest, environment);
  }
  if (command === 'verify') {
    const { runVerifyProcess } = await import('../verify/verify-command.js');
    return runVerifyProcess(rest, { command: 'searchgate verify', environment });
  }
  const help = HELP.get(command);
  if (help !== undefined && rest.some(isHelp)) return print(stdout, help);
  if (TAKES_NOTHING.has(command) && rest.length > 0)
    return misuse(stderr, [`${command} takes no arguments`], `searchgate ${command}`);
  if (command === 'password-hash') {
    const password = await readSecret(stdin);
    if (password !== '') return print(stdout, `${await hashOf(password)}\n`);
    stderr.write('searchgate: there is no password on standard input\n');
    return 1;
  }
  if (command === 'management-token') {
    const { makeManagementToken } = await import('../login/management-tokens.js');
    const { token, tokenHash } = makeManagementToken();
    const entry = { name: 'a name for the record of changes', tokenHash, role: 'operator', organizations: 'all' };
    return print(
      stdout,
      `${token}\n\nThe token is shown once. For managementTokens in the file, with a name of your own:\n${JSON.stringify(entry)}\n`,
    );
  }
  if (command === 'schema') {
    const { configJsonSchema } = await import('../config-file.js');
    return print(stdout, `${JSON.stringify(configJsonSchema())}\n`);
  }
  if (command === 'help' || isHelp(command)) return print(stdout, USAGE);
  if (command === '--version' || command === '-v') return print(stdout, `${VERSION}\n`);
  if (command !== 'start' && command !== 'check') return misuse(stderr, [`there is no command ${command}`]);
  const { settings, wrong } = settingsOf(command, rest);
  if (command === 'check' || wrong.length > 0) {
    const mistakes = await check({ ...environment, ...settings }, wrong.length > 0 ? ignored : stdout);
    stderr.write(mistakes);
    return wrong.length > 0 ? misuse(stderr, wrong) : Number(mistakes !== '');
  }
  const { runService } = await import('../run-service.js');
  await runService({ ...environment, ...settings }, { adminCommand: adminCommand(environment) });
  return undefined;
}

/** What is given to them may be a secret: it is not repeated. */
const TAKES_NOTHING: ReadonlySet<string> = new Set(['password-hash', 'management-token', 'schema']);

const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  start: { config: 'SEARCHGATE_CONFIG', port: 'PORT' },
  check: { config: 'SEARCHGATE_CONFIG' },
};

/** The variables that arguments set, and what is wrong with the arguments. */
function settingsOf(command: string, args: readonly string[]): { settings: Environment; wrong: string[] } {
  const variables = OPTIONS[command] ?? {};
  const options = Object.fromEntries(Object.keys(variables).map((name) => [name, { type: 'string' as const }]));
  const settings: Record<string, string> = {};
  const wrong: string[] = [];
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const isValueOfUnknown = token.kind === 'positional' && before?.kind === 'option' && before.value === undefined;
    if (token.kind === 'option-terminator' || isValueOfUnknown) continue;
    const variable = token.kind === 'option' ? variables[token.name] : undefined;
    if (token.kind === 'positional') wrong.push(`${command}: there is no argument ${JSON.stringify(token.value)}`);
    else if (variable === undefined) wrong.push(`${command}: there is no option ${token.rawName}`);
    else if (!token.value) wrong.push(`${command}: ${token.rawName} needs a value`);
    else settings[variable] = token.value;
  }
  return { settings, wrong };
}

function misuse(stderr: Terminal['stderr'], wrong: readonly string[], command = 'searchgate'): number {
  stderr.write(`${wrong.map((each) => `searchgate: ${each}\n`).join('')}${command} --help says more.\n`);
  return 2;
}

/** @returns all mistakes, a line for each. */
async function check(environment: Environment, stdout: Terminal['stdout']): Promise<string> {
  const { checkService } = await import('../check-service.js');
  const { redactorOf } = await import('../redactor.js');
  const redact = redactorOf(environment);
  try {
    stdout.write(redact(`${await checkService(environment)}\n`));
    return '';
  } catch (error) {
    if (error instanceof ConfigurationError) return redact(`${error.message}\n`);
    throw error;
  }
}

const ignored: Terminal['stdout'] = { write: () => undefined };

async function hashOf(password: string): Promise<string> {
  const { hashPassword } = await import('../login/password.js');
  return hashPassword(password);
}

/** Under npx the operator's shell has no `searchgate` command. */
function adminCommand(environment: Environment): string {
  return environment['npm_command'] === 'exec' ? 'npx @searchgate/server admin' : 'searchgate admin';
}

function print(stdout: Terminal['stdout'], text: string): number {
  stdout.write(text);
  return 0;
}
