import { expect, test } from 'vitest';
import { EVICTION } from '../src/engine/scripts.js';
import type { Script } from '../src/lua/opening.js';
import * as creditScripts from '../src/money/redis-money.js';
import { FIND_HOLD } from '../src/money/redis-money.js';
import * as claimScripts from '../src/redis-ledger.js';
import * as auditScripts from '../src/scripts/audit-scripts.js';
import { EXPIRE } from '../src/scripts/expire-script.js';
import { FORGET_BUDGETS } from '../src/scripts/forget-script.js';
import * as holdScripts from '../src/scripts/hold-scripts.js';
import * as keyScripts from '../src/scripts/key-scripts.js';
import * as logScripts from '../src/scripts/log-scripts.js';
import { PACK } from '../src/scripts/pack-script.js';
import * as rateScripts from '../src/scripts/rate-scripts.js';
import * as removalScripts from '../src/scripts/removal-scripts.js';
import * as requestScripts from '../src/scripts/request-scripts.js';
import * as totalsScripts from '../src/scripts/totals-scripts.js';
import * as usageScripts from '../src/scripts/usage-scripts.js';

/*
 * A Cluster that moves a slot looks only at the keys a script declares. Where a script touches another one, it may be on the other node, and is read as
 * nothing.
 */

const { SUBJECTS, ...otherAuditScripts } = auditScripts;
const modules = [
  otherAuditScripts,
  SUBJECTS,
  claimScripts,
  keyScripts,
  logScripts,
  creditScripts,
  holdScripts,
  rateScripts,
  totalsScripts,
  removalScripts,
  requestScripts,
  usageScripts,
  { EVICTION, EXPIRE, FIND_HOLD, FORGET_BUDGETS, PACK },
];
const scripts = modules
  .flatMap((module) => Object.entries(module))
  .filter((entry): entry is [string, Script] => {
    return typeof entry[1] === 'object' && 'source' in entry[1];
  });
const KEYLESS = new Set(['TIME', 'INFO', 'SCAN']);
/** Locals of a script that name one of its keys: the one of a claim, the one of fields in hand, one of two books, the one a function is given. */
const ALIASES = new Set(['name', 'books', 'key']);

function namesOf({ keys }: Script): Set<string> {
  return new Set(keys.map((key) => key.toUpperCase().replaceAll('-', '_')));
}

test('there are scripts to look at', () => {
  expect(scripts.length).toBeGreaterThan(20);
});

for (const [name, script] of scripts) {
  test(`${name} touches the keys it declares, and declares those it touches`, () => {
    const declared = namesOf(script);
    const touched = [...script.source.matchAll(/redis\.p?call\('([A-Z]+)'(?:, ([\w[\]]+))?/g)];
    const strangers = touched.filter(([, command = '', key = '']) => {
      return !KEYLESS.has(command) && !declared.has(key) && !ALIASES.has(key) && !/^KEYS\[[123]\]$/.test(key);
    });
    expect(strangers.map(([text]) => text)).toEqual([]);
    expect(script.source).not.toMatch(/base \.\.|redis\.p?call\([^']/);
    const body = script.source.slice(script.source.indexOf('= unpack(KEYS)'));
    const unused = [...declared].filter((key, index) => !body.includes(key) && !body.includes(`KEYS[${index + 1}]`));
    expect(unused).toEqual([]);
  });
}
