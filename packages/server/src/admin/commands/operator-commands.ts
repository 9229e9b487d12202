import { type Command, Option } from 'commander';
import { type Operator, ROLES } from '../../login/operators.js';
import { hashPassword, randomPassword } from '../../login/password.js';
import { problem } from '../../problems.js';
import { changeOperators, operatorsOfFile } from '../operators-file.js';
import { id, names } from '../option-values.js';
import type { AdminContext, Runner } from '../runner.js';
import { type Column, table } from '../table.js';

interface Rights extends Pick<Operator, 'role'> {
  readonly org?: Operator['organizations'];
}

const WHEN = 'Every server that reads the file knows it within seconds.';

/** Accounts for the page, kept in the file of SEARCHGATE_CONFIG. The ledger is not asked. */
export function addOperatorCommands(program: Command, { print }: Runner, { environment }: AdminContext): void {
  type Operators = readonly Operator[];
  const operators = program.command('operators').description('accounts for the page, in the file of SEARCHGATE_CONFIG');

  async function save(name: string, change: (given: Operators, passwordHash: string) => Operators): Promise<void> {
    const password = randomPassword();
    const passwordHash = await hashPassword(password);
    changeOperators(environment, (given) => change(given, passwordHash));
    await print({
      text: `${name} is saved. ${WHEN}\nIts password, shown once: ${password}`,
      json: { name, password },
    });
  }

  operators
    .command('add <name>')
    .description(
      'add an account, and show its password once; the one made at the first start of the server no longer works then',
    )
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--org <ids>', 'the organizations it may see, with commas in between, or all', organizations)
    .action((name: string, { role, org = 'all' }: Rights) =>
      save(name, (given, passwordHash) => [...given, { name, passwordHash, role, organizations: org }]),
    );
  operators
    .command('password <name>')
    .description('make a new password, show it once, and end its sessions')
    .action((name: string) =>
      save(name, (given, passwordHash) => {
        const account = find(given, name);
        return given.map((each) => (each === account ? { ...each, passwordHash } : each));
      }),
    );
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

function organizations(text: string, before: Operator['organizations'] = []): Operator['organizations'] {
  return text === 'all' || before === 'all' ? 'all' : [...before, ...names(text).map(id)];
}
