/** The help of the program. */
export const USAGE = `Usage: searchgate [start] [--config FILE] [--port NUMBER]
       searchgate check [--config FILE]
       searchgate admin <command>
       searchgate eval <questions> --models SLUGS --max-cost USD --out FILE
       searchgate verify [--only NAMES] [--budget USD]
       searchgate password-hash
       searchgate management-token
       searchgate schema

Web-search answers over HTTP, with API keys, budgets and limits.

  start          serves; what is done without a command too
  check          names every mistake in environment and file, and starts nothing
  admin          organizations, keys, credits, usage, accounts for the page
  eval           compares models by questions, at any gateway
  verify         calls every configured model once, for real
  password-hash  reads a password from standard input, prints ADMIN_PASSWORD_HASH for it
  management-token
                 makes a token for the admin API, and prints its hash for managementTokens in the file
  schema         prints the JSON Schema of the file, for editors
  <command> --help
                 says more of a command
  --help         prints this
  --version      prints the version

Environment (more in https://github.com/searchgate/searchgate/blob/main/docs/server.md):
  PORT, HOST            where to listen: 3000 on 127.0.0.1
  <PROVIDER>_API_KEY    such as EXA_API_KEY: enables that provider; several keys: EXA_API_KEYS
  SEARCHGATE_CONFIG     a JSON file with organizations, keys and options
  SEARCHGATE_LEDGER     sqlite:data/searchgate.db, postgres://…, redis://… or memory
`;

/** The help of the commands that have no parser of their own. */
export const HELP: ReadonlyMap<string, string> = new Map(
  Object.entries({
    start: `Usage: searchgate [start] [--config FILE] [--port NUMBER]

Serves until SIGTERM or SIGINT. SIGHUP reads the file again.

  --config FILE  stands for SEARCHGATE_CONFIG
  --port NUMBER  stands for PORT

Exit codes: 0 stopped, 1 a mistake in environment or file, or a failure, 2 wrong command line.
`,
    check: `Usage: searchgate check [--config FILE]

Names every mistake in environment and file. Starts nothing, and asks neither ledger nor providers.

  --config FILE  stands for SEARCHGATE_CONFIG

Exit codes: 0 nothing is wrong, 1 mistakes, 2 wrong command line.
`,
    'password-hash': `Usage: searchgate password-hash < FILE

Reads the password of the page for operators, at /admin, from standard input. Prints its hash,
which is the value for the variable ADMIN_PASSWORD_HASH.
`,
    'management-token': `Usage: searchgate management-token

Makes a token for scripts that call the admin API at /admin/api/v1. Prints the token, only this once,
and an entry with its hash. The entry goes into managementTokens of the file that SEARCHGATE_CONFIG names;
SIGHUP or the next start of the server reads it. The token goes into each call:
Authorization: Bearer <token>

Fields of the entry:
  name           the name of the script in the record of changes
  role           viewer (changes nothing), reader (also reads questions and answers), tenant (a viewer who sets
                 vendor keys) or operator (changes, reads and grants credits)
  organizations  "all", or a list of ids such as ["acme"]: others are hidden
  expiresAt      such as "2027-01-31T00:00:00Z"; without it, the token works until its entry is removed
`,
    schema: `Usage: searchgate schema > searchgate.schema.json

Prints the JSON Schema of the file that SEARCHGATE_CONFIG names. Name it in the file as "$schema", for editors.
`,
  }),
);

/** What `--help` prints. */
export function isHelp(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}
