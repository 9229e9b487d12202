import { type Command, Option } from 'commander';
import { type Operator, ROLES, type Role } from '../../login/operators.js';
import { hashPassword, randomPassword } from '../../login/password.js';
import { problem } from '../../problems.js';
import { askSecrets, readSecret } from '../../read-secret.js';
import { changeOperators, operatorsOfFile } from '../operators-file.js';
import { id, names } from '../option-values.js';
import type { AdminContext, Runner } from '../runner.js';
import { type Column, table } from '../table.js';

interface Rights {
  readonly role: Role;
  readonly org: Operator['organizations'];
}

interface Generation {
  readonly generate?: boolean;
}

const WHEN = 'Every server that reads the file knows it within seconds.';

/** Accounts for the page, kept in the file of SEARCHGATE_CONFIG. The ledger is not asked. */
export function addOperatorCommands(program: Command, { print }: Runner, context: AdminContext): void {
  const { environment } = context;
  const operators = program
    .command('operators')
    .description('add, list, change and remove the accounts for the page at /admin, in the file of SEARCHGATE_CONFIG');

  withPassword(withRights(operators.command('add <name>'), true))
    .description('add an account; its password is asked for, or read from standard input')
    .action(async (name: string, { role, org = 'all', generate }: Rights & Generation, command: Command) => {
      const password = await newPassword(command, context, generate);
      const added = { name, passwordHash: await hashPassword(password.text), role, organizations: org };
      const isFirst = operatorsOfFile(environment) === undefined;
      changeOperators(environment, (given) => [...given, added]);
      const first = isFirst ? [FIRST] : [];
      await print(report(added, [`${name} may log in. ${WHEN}`, ...password.lines, ...first], password.json));
    });
  operators
    .command('list')
    .description('all accounts')
    .action(async () => {
      const rows = operatorsOfFile(environment) ?? [];
      await print({
        text: rows.length === 0 ? 'There is no account yet.' : table(COLUMNS, rows),
        json: rows.map(jsonOf),
      });
    });
  withRights(operators.command('update <name>'), false)
    .description('set the role or the organizations of an account, and end its sessions')
    .action(async (name: string, { role, org }: Partial<Rights>, command: Command) => {
      if (role === undefined && org === undefined)
        command.error('error: there is nothing to set: give --role or --org.');
      const changed = change(context, name, { ...(role && { role }), ...(org && { organizations: org }) });
      await print(report(changed, [`${name} has other rights, and has to log in again. ${WHEN}`]));
    });
  withPassword(operators.command('password <name>'))
    .description('set the password of an account, and end its sessions')
    .action(async (name: string, { generate }: Generation, command: Command) => {
      const password = await newPassword(command, context, generate);
      const changed = change(context, name, { passwordHash: await hashPassword(password.text) });
      await print(
        report(
          changed,
          [`${name} has another password, and has to log in again. ${WHEN}`, ...password.lines],
          password.json,
        ),
      );
    });
  operators
    .command('remove <name>')
    .description('remove an account, and end its sessions')
    .action(async (name: string) => {
      changeOperators(environment, (given) => given.filter((each) => each !== found(given, name)));
      await print({ text: `${name} is removed. ${WHEN}`, json: { removed: name } });
    });
}

const FIRST = 'The password that the server has made for all no longer works; one in ADMIN_PASSWORD_HASH does.';

function withRights(command: Command, isNew: boolean): Command {
  return command
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory(isNew))
    .option(
      '--org <ids>',
      'the organizations it may see, with commas in between; or all, as without it',
      organizations,
    );
}

function organizations(text: string, before: Operator['organizations'] = []): Operator['organizations'] {
  if (text === 'all' || before === 'all') return 'all';
  return [...before, ...names(text).map(id)];
}

function withPassword(command: Command): Command {
  return (
    command
      .option('--generate', 'make a random password, and show it once')
      // Commander would print what it refuses.
      .allowUnknownOption()
      .allowExcessArguments()
  );
}

const PASSWORD = /^\P{Cc}{12,256}$/u;

async function newPassword(command: Command, { stdin, err }: AdminContext, isMade = false) {
  if (command.args.length > 1)
    command.error(
      'error: too many arguments, or an unknown option (not shown). The password is read from standard input: others can read a command line.',
    );
  if (isMade) {
    const text = randomPassword();
    return { text, lines: [`Its password, shown once: ${text}`], json: { password: text } };
  }
  const [text, again = text] = stdin.isTTY
    ? await askSecrets(['Password', 'Once more'], { stdin, err })
    : [await readSecret(stdin)];
  if (text === undefined || !PASSWORD.test(text))
    throw problem('the password', 'another one (not shown)', '12 to 256 characters, none of them a control character');
  if (text !== again) throw problem('the password', 'two different ones (not shown)', 'the same twice');
  return { text, lines: [], json: {} };
}

function found(operators: readonly Operator[], name: string): Operator {
  const account = operators.find((each) => each.name === name);
  if (account !== undefined) return account;
  const known = operators.slice(0, MOST_NAMED).map((each) => each.name);
  throw problem(
    'operators',
    `no ${JSON.stringify(name)}`,
    `the name of an account: ${known.join(', ') || 'there is none'}`,
  );
}

const MOST_NAMED = 20;

function change({ environment }: AdminContext, name: string, fields: Partial<Operator>): Operator {
  changeOperators(environment, (given) => {
    const account = found(given, name);
    return given.map((each) => (each === account ? { ...each, ...fields } : each));
  });
  return found(operatorsOfFile(environment) ?? [], name);
}

const COLUMNS: readonly Column<Operator>[] = [
  { title: 'name', of: ({ name }) => name },
  { title: 'role', of: ({ role }) => role },
  { title: 'organizations', of: ({ organizations: ids }) => (ids === 'all' ? ids : ids.join(', ')) },
];

function report(account: Operator, lines: readonly string[], more: object = {}) {
  return { text: lines.join('\n'), json: { ...jsonOf(account), ...more } };
}

function jsonOf({ passwordHash: _hash, ...account }: Operator): object {
  return account;
}
