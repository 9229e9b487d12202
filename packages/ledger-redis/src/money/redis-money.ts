import {
  type AdmissionRefused,
  type AdmitRequest,
  type AdmitResult,
  budgetIdsOf,
  budgetName,
  type HoldBudget,
  type HoldEnding,
  type HoldRecord,
  type HoldRequest,
  type HoldResult,
  type KeyTotals,
  type LedgerEngine,
  type Loss,
  type NanoUsd,
  type RateLimit,
  type RatesUsed,
  slicesOf,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { NEW_BUDGETS } from '../lua/budgets.js';
import { HOLDS } from '../lua/holds.js';
import { USES } from '../lua/log.js';
import { BOOK_KEYS, CHARGING, CREDIT_KEYS, CREDITING } from '../lua/money.js';
import { script } from '../lua/opening.js';
import { EXPIRE } from '../scripts/expire-script.js';
import { BUDGETS_AT_ONCE, FORGET_BUDGETS } from '../scripts/forget-script.js';
import { HOLD, HOLD_IN_BUDGETS, RELEASE, SETTLE } from '../scripts/hold-scripts.js';
import { PACK } from '../scripts/pack-script.js';
import { ADMIT, RATES_USED } from '../scripts/rate-scripts.js';
import { KEY_TOTALS, ORGANIZATION_TOTALS } from '../scripts/totals-scripts.js';
import { readEntries } from './read-entries.js';
import { readUsage } from './read-usage.js';

/**
 * Hold id. Gives nothing, or its status, what was charged, organization, key, model, provider, when it was made and when it ended, empty where it has not.
 */
export const FIND_HOLD = script(['holds'])`${HOLDS}
local text = redis.call('HGET', HOLDS, ARGV[4])
if not text then return {} end
local hold = readHold(ARGV[4], text)
local statuses = { waiting = 'open', late = 'settled' }
local cost = (hold.isOpen or hold.status == 'expired') and '0' or hold.amount
return { statuses[hold.status] or hold.status, cost, hold.organizationId, hold.keyId, modelOf(hold), providerOf(hold), hold.madeAt,
  hold.isOpen and '' or hold.endedAt }
`;

/** Grant id, organization, amount, note. */
export const GRANT = script(['grants', ...CREDIT_KEYS])`${CREDITING}${USES}
local id, organizationId, amountText, note = unpack(ARGV, 4)
local earlier = repeated('grant', GRANTS, id, organizationId, '', amountText)
if earlier then return earlier end
local organization = organizationBook(organizationId)
local credits = amount(organization.credits) + amount(amountText)
if not fits(credits) then return refuseOverflow() end

organization.credits = digits(credits)
append(organization, nil, 'grant', id, amountText, '', '', '', note, '')
noteUse(GRANTS, organizationId, id)
saveOrganization(organization)
saveLog()
saveHashes()
return { '1' }
`;

/** Adjustment id, organization, key or nothing, amount, note, ids of budgets, each behind a space. */
export const ADJUST = script(['adjustments', 'idle-budgets', ...BOOK_KEYS])`${CHARGING}${NEW_BUDGETS}${USES}
local id, organizationId, keyId, amountText, note, ids = unpack(ARGV, 4)
local earlier = repeated('adjustment', ADJUSTMENTS, id, organizationId, keyId .. ids, amountText)
if earlier then return earlier end
local organization, key = organizationBook(organizationId), keyId ~= '' and keyBook(keyId)
local budgets, withoutCounter, tooMany = budgetsOf(organizationId, ids), namesOfNew(organizationId, ids)
if tooMany then return tooMany end
if not spend(organization, key, budgets, amount(amountText)) then return refuseOverflow() end

append(organization, key, 'adjustment', id, amountText, '', '', '', note, ids)
noteUse(ADJUSTMENTS, organizationId, id)
saveOrganization(organization)
if key then saveKey(key) end
countNew(organizationId, withoutCounter)
for place = 1, #budgets do saveKey(budgets[place]) end
saveLog()
saveHashes()
saveNewBudgets()
return { '1' }
`;

type RateLimits = Pick<AdmitRequest, 'keyRateLimit' | 'organizationRateLimit'>;
type Limits = RateLimits & Pick<HoldRequest, 'keyMaxConcurrent' | 'organizationMaxConcurrent' | 'usesSlot'>;

/**
 * The limits of a request as scripts read them: whether it uses a slot, most slots of the key, of the organization, rate of the key, of the
 * organization.
 */
function limitsText(limits: Limits): string {
  const { usesSlot = true, keyMaxConcurrent, organizationMaxConcurrent } = limits;
  const rates = `${rateText(limits.keyRateLimit)} ${rateText(limits.organizationRateLimit)}`;
  return `${usesSlot ? 1 : 0} ${keyMaxConcurrent ?? '-'} ${organizationMaxConcurrent ?? '-'} ${rates}`;
}

/** As ASKED_BUDGETS reads them. */
function budgetsText(budgets: readonly HoldBudget[]): string {
  const lines = budgets.map(({ id, limit, limitReset, isKept }) => {
    return `\n${id} ${limit ?? '-'} ${limitReset ?? ''} ${isKept || limitReset === null ? 1 : 0}`;
  });
  return idsText(budgets) + lines.join('');
}

/** As holds and entries have them: in order, each behind a space. */
function idsText(budgets: readonly Pick<HoldBudget, 'id'>[]): string {
  return (budgetIdsOf(budgets) ?? []).map((id) => ` ${id}`).join('');
}

function rateText(limit: RateLimit | null | undefined): string {
  return limit == null ? '-' : `${limit.requests}/${limit.periodMs}`;
}

/** @param key the word of its rate as a script gives it: nothing where there is no limit. */
function ratesUsedOf(key = '', organization = ''): RatesUsed {
  return { key: usedOf(key), organization: usedOf(organization) };
}

/** For a result: nothing where the request names no rate. */
function ratesUsedIn(key = '', organization = ''): { readonly ratesUsed?: RatesUsed } {
  return key === '' && organization === '' ? {} : { ratesUsed: ratesUsedOf(key, organization) };
}

function usedOf(word: string): number | null {
  return word === '' ? null : Number(word.slice(0, word.indexOf('@')));
}

/** How many holds one script ends: some two milliseconds in which Redis serves no one else. */
const HOLDS_AT_ONCE = 100;

/** How many scripts that pack sums a sweep may run, each of some 250 sums: a second. The next one goes on. */
const MOST_PACKINGS = 200;

/** The operations of money, each one script. @param keepMs how long ended holds are remembered. */
export function redisMoney(scripts: Scripts, keepMs: number): LedgerEngine {
  const { run } = scripts;
  const keep = `${keepMs}`;
  return {
    async grant({ grantId, organizationId, amount, note }) {
      const [applied] = await run(GRANT, [grantId, organizationId, `${amount}`, note]);
      return { applied: applied === '1' };
    },
    async adjust({ adjustmentId, organizationId, keyId = '', amount, note, budgets = [] }) {
      const ids = idsText(budgets.map((id) => ({ id })));
      const [applied] = await run(ADJUST, [adjustmentId, organizationId, keyId, `${amount}`, note, ids]);
      return { applied: applied === '1' };
    },
    async hold({ holdId, organizationId, keyId, keyLimit, keyLimitReset, expiresAtMs, model, tag = '', ...asked }) {
      const { amount, acceptableAmounts = [], operatorPays, budgets } = asked;
      const reset = keyLimit === null ? '' : (keyLimitReset ?? '');
      const limits = limitsText(asked);
      const amounts = [`${amount}`, ...acceptableAmounts.map(String)];
      const payer = operatorPays === true ? 'operator' : '';
      const owner = [holdId, organizationId, keyId, `${keyLimit ?? ''}`, reset, payer];
      const values = [...owner, `${expiresAtMs}`, model, tag, limits];
      const reply = budgets?.length
        ? await run(HOLD_IN_BUDGETS, [...values, budgetsText(budgets), ...amounts])
        : await run(HOLD, [...values, ...amounts]);
      return holdResult(reply, acceptableAmounts.at(-1) ?? amount);
    },
    async admit(request) {
      return admitResult(await run(ADMIT, rateValues(request)));
    },
    async ratesUsed(request) {
      const [key, organization] = await run(RATES_USED, rateValues(request));
      return ratesUsedOf(key, organization);
    },
    async settle(holdId, { cost, model, provider, costSource, upstreamCost, tenantCost, losses }) {
      const costs = [costSource, `${upstreamCost ?? ''}`, `${tenantCost ?? ''}`];
      const values = [holdId, `${cost}`, model, provider, ...costs, keep, ...valuesOfLosses(losses)];
      return holdEnding(await run(SETTLE, values));
    },
    release: async (holdId, { losses }) => holdEnding(await run(RELEASE, [holdId, keep, ...valuesOfLosses(losses)])),
    expireHolds: (nowMs) => expireHolds(scripts, nowMs, keep),
    async organizationTotals(organizationId) {
      const [credits, usage, held] = await run(ORGANIZATION_TOTALS, [organizationId]);
      return { credits: amountOf(credits), usage: amountOf(usage), held: amountOf(held) };
    },
    keyTotals: async (keyId, limitReset) => totalsOf(await run(KEY_TOTALS, [keyId, limitReset ?? ''])),
    async budgetTotals(organizationId, budgets) {
      const named = budgets.flatMap(({ id, limitReset }) => [budgetName(organizationId, id), limitReset ?? '']);
      return slicesOf(await run(KEY_TOTALS, named), 4).map(totalsOf);
    },
    findHold: async (holdId) => holdRecord(holdId, await run(FIND_HOLD, [holdId])),
    usage: (query) => readUsage(scripts, query),
    entries: (query) => readEntries(scripts, query),
  };
}

/** Each script ends what was due when it ran, so that sweeps at once share the work, and a sweep ends as soon as less is due than it may end at once. */
async function expireHolds(scripts: Scripts, nowMs: number, keep: string): Promise<number> {
  let ended = 0;
  for (let due = HOLDS_AT_ONCE; due === HOLDS_AT_ONCE; ) {
    const reply = await scripts.run(EXPIRE, [`${nowMs}`, `${HOLDS_AT_ONCE}`, keep]);
    due = Number(reply[0]);
    ended += Number(reply[1]);
  }
  await forgetBudgets(scripts);
  await packSums(scripts, MOST_PACKINGS);
  return ended;
}

/** Forgets counters of budgets that were idle for long. */
async function forgetBudgets({ run }: Scripts): Promise<void> {
  for (let count = BUDGETS_AT_ONCE; count === BUDGETS_AT_ONCE; ) count = Number((await run(FORGET_BUDGETS, []))[0]);
}

/** Packs sums of days and months that are over. A sweep is when there is time for it. */
export async function packSums({ run }: Scripts, mostScripts: number): Promise<void> {
  let state = 'more';
  for (let count = 0; state === 'more' && count < mostScripts; count += 1) state = (await run(PACK, []))[0] ?? '';
}

function holdResult(reply: readonly string[], required: NanoUsd): HoldResult {
  const [status, by, keyUsed, organizationUsed, limit, usage, held, resetsAt, fitsWithoutHolds, budget] = reply;
  const rates = ratesUsedIn(keyUsed, organizationUsed);
  if (status === 'held') return { status, amount: amountOf(by), ...rates };
  if (by !== 'key_limit' && by !== 'budget' && by !== 'organization_credits')
    return { status: 'refused', by: by as AdmissionRefused['by'], ...rates };
  return {
    status: 'refused',
    by,
    ...(budget !== undefined && { budget }),
    limit: amountOf(limit),
    usage: amountOf(usage),
    held: amountOf(held),
    required,
    resetsAtMs: resetsAt === '' ? null : Number(resetsAt),
    fitsWithoutHolds: fitsWithoutHolds === '1',
    ...rates,
  };
}

function admitResult([by, keyUsed, organizationUsed]: readonly string[]): AdmitResult {
  const ratesUsed = ratesUsedOf(keyUsed, organizationUsed);
  if (by === 'admitted') return { status: by, ratesUsed };
  return { status: 'refused', by: by as AdmissionRefused['by'], ratesUsed };
}

/** @param texts as KEY_TOTALS gives them. */
function totalsOf([usage, held, windowUsage, resetsAt]: readonly string[]): KeyTotals {
  const resetsAtMs = resetsAt === '' ? null : Number(resetsAt);
  return { usage: amountOf(usage), held: amountOf(held), windowUsage: amountOf(windowUsage), resetsAtMs };
}

function holdEnding([status, cost, first]: readonly string[]): HoldEnding {
  return { status: status as HoldEnding['status'], cost: amountOf(cost), first: first === '1' };
}

function holdRecord(holdId: string, reply: readonly string[]): HoldRecord | undefined {
  if (reply.length === 0) return undefined;
  const [status, cost, organizationId = '', keyId = '', model = '', provider, createdAtMs, endedAtMs] = reply;
  return {
    holdId,
    organizationId,
    keyId,
    status: status as HoldRecord['status'],
    cost: amountOf(cost),
    model,
    provider: provider || null,
    createdAtMs: Number(createdAtMs),
    endedAtMs: endedAtMs ? Number(endedAtMs) : null,
  };
}

function rateValues(request: AdmitRequest): string[] {
  const { organizationId, keyId, keyRateLimit, organizationRateLimit } = request;
  return [organizationId, keyId, limitsText({ keyRateLimit, organizationRateLimit })];
}

function valuesOfLosses(losses: readonly Loss[] = []): string[] {
  return losses.flatMap(({ model, provider, cost, reason }) => [model, provider, `${cost}`, reason]);
}

/** Every figure a script gives is a text; there is always one where it is asked for. */
function amountOf(text: string | undefined): NanoUsd {
  return BigInt(text ?? '0');
}
