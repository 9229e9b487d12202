import { type Command, Option } from 'commander';
import { type Operator, ROLES } from '../../login/operators.js';
import { hashPassword, randomPassword } from '../../login/password.js';
import { defined, problem } from '../../problems.js';
import { askSecret, readSecret } from '../../read-secret.js';
import { changeOperators, operatorsOfFile } from '../operators-file.js';
import { id, names } from '../option-values.js';
import type { AdminContext, Runner } from '../runner.js';
import { type Column, table } from '../table.js';

interface Given extends Partial<Pick<Operator, 'role'>> {
  readonly org?: Operator['organizations'];
  readonly generate?: boolean;
}

/** The accounts after a change of one. */
type Change = (operators: readonly Operator[], name: string, fields: Partial<Operator>) => readonly Operator[];

/** The file is checked before it is written. */
const added: Change = (operators, name, fields) => [
  ...operators,
  { name, organizations: 'all', ...fields } as Operator,
];

const updated: Change = (operators, name, fields) => {
  const account = find(operators, name);
  return operators.map((each) => (each === account ? { ...each, ...fields } : each));
};

const WHEN = 'Every server that reads the file knows it within seconds.';

/** Accounts for the page, kept in the file of SEARCHGATE_CONFIG. The ledger is not asked. */
export function addOperatorCommands(program: Command, { print }: Runner, context: AdminContext): void {
  const { environment } = context;
  const operators = program.command('operators').description('accounts for the page, in the file of SEARCHGATE_CONFIG');
  const save =
    (change: Change, setsPassword: boolean) =>
    async (name: string, { role, org, generate }: Given, command: Command) => {
      const password = setsPassword ? await newPassword(command, context, generate) : undefined;
      const passwordHash = password && (await hashPassword(password));
      const rights = defined({ role, organizations: org });
      changeOperators(environment, (given) => change(given, name, { ...defined({ passwordHash }), ...rights }));
      const shown = generate ? `\nIts password, shown once: ${password}` : '';
      await print({
        text: `${name} is saved. ${WHEN}${shown}`,
        json: { name, ...rights, ...(generate && { password }) },
      });
    };

  withPassword(withRights(operators.command('add <name>'), true))
    .description('add an account; the password made at the first start of the server no longer works then')
    .action(save(added, true));
  withRights(operators.command('update <name>'), false)
    .description('set its role or its organizations, and end its sessions')
    .action(save(updated, false));
  withPassword(operators.command('password <name>'))
    .description('set its password, and end its sessions')
    .action(save(updated, true));
  operators
    .command('remove <name>')
    .description('remove an account, and end its sessions')
    .action(async (name: string) => {
      changeOperators(environment, (given) => given.filter((each) => each !== find(given, name)));
      await print({ text: `${name} is removed. ${WHEN}`, json: { name } });
    });
  operators
    .command('list')
    .description('names, roles and organizations')
    .action(async () => {
      const rows = operatorsOfFile(environment) ?? [];
      const json = rows.map(({ passwordHash: _hash, ...account }) => account);
      await print({ text: rows.length === 0 ? 'There is no account yet.' : table(COLUMNS, rows), json });
    });
}

const COLUMNS: readonly Column<Operator>[] = [
  { title: 'name', of: ({ name }) => name },
  { title: 'role', of: ({ role }) => role },
  { title: 'organizations', of: ({ organizations: ids }) => String(ids) },
];

function find(operators: readonly Operator[], name: string): Operator {
  const account = operators.find((each) => each.name === name);
  if (account !== undefined) return account;
  throw problem('operators', `no ${JSON.stringify(name)}`, 'a name that `operators list` shows');
}

function withRights(command: Command, isNew: boolean): Command {
  return command
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory(isNew))
    .option('--org <ids>', 'the organizations it may see, with commas in between, or all', organizations);
}

function organizations(text: string, before: Operator['organizations'] = []): Operator['organizations'] {
  return text === 'all' || before === 'all' ? 'all' : [...before, ...names(text).map(id)];
}

function withPassword(command: Command): Command {
  // Commander would print what it refuses.
  const quiet = command.allowUnknownOption().allowExcessArguments();
  return quiet.option(
    '--generate',
    'make a random password and show it once, in place of reading one from standard input',
  );
}

async function newPassword(command: Command, { stdin, err }: AdminContext, isMade = false): Promise<string> {
  if (command.args.length > 1)
    command.error('error: too many arguments, or an unknown option. The password is read from standard input.');
  if (isMade) return randomPassword();
  const password = await (stdin.isTTY === true ? askSecret('Password: ', { stdin, err }) : readSecret(stdin));
  if (/^\P{Cc}{12,256}$/u.test(password)) return password;
  throw problem('the password', 'another one (not shown)', '12 to 256 characters, none of them a control character');
}
