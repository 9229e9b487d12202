import { type AnswerBody, parseUsd } from '@searchgate/core';
import type { AnswerStatusBody } from '@searchgate/core/extensions';
import { expect, it } from 'vitest';
import type { TestKey } from '../accounts.js';
import { engineSuite } from '../engine-suite.js';
import type { GatewayProcess } from '../gateway-process.js';
import { keepAsking } from '../keep-asking.js';
import { killInRotation, type Rotation } from '../kill-rotation.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, METERED } from '../upstream-dialects.js';

const ANSWERS = 1_000;
const KILLS = 44;
const PROCESSES = 3;
/** Calls of a gateway before it is killed: questions and look-ups. */
const MOST_CALLS = 120;
const CALLERS = 16;
const MAX_CALLS = 100_000;
/** After so many accepted answers all open holds expire, those of running calls too. */
const ANSWERS_PER_EXPIRY = 75;
/** After so many accepted answers the engine's server is killed. */
const ANSWERS_PER_CRASH = 200;
const REFUSALS_IN_CRASH = 5;
const PATIENCE_MS = 1_000;
const LEDGER_TIMEOUT_MS = 1_000;
const MAX_STARTS = 600;
const AN_HOUR_MS = 3_600_000;
const PLENTY = parseUsd('1000');
const PAUSE_MS = 20;

interface Accepted {
  readonly id: string;
  readonly question: string;
  readonly model: string;
}

type Seen = 'answer' | 'error';

/** What the callers know. */
class Callers {
  readonly accepted: Accepted[] = [];
  /** What a look-up has shown of an id, which must stand for ever. */
  readonly shown = new Map<string, Seen>();
  readonly contradictions: string[] = [];
  lost = 0;
  refused = 0;
  asked = 0;

  note({ id, answer, error }: AnswerStatusBody): Seen | undefined {
    if (answer !== undefined && error !== undefined) this.contradictions.push(`${id} is an answer and an error`);
    const seen = answer !== undefined ? 'answer' : error !== undefined ? 'error' : undefined;
    const before = this.shown.get(id);
    if (before !== undefined && seen !== before) this.contradictions.push(`${id} was ${before}, then ${seen}`);
    if (seen !== undefined) this.shown.set(id, seen);
    return seen;
  }
}

await engineSuite(`${ANSWERS} asynchronous answers, gateways and server killed`, (engine) => {
  it('are each fetched and charged once, or an error that charged nothing', { timeout: 540_000 }, async () => {
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 60) }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const callers = new Callers();
      await askUnderKills(stage, key, callers);
      const fresh = await Promise.all([stage.start(), stage.start()]);
      while (callers.accepted.length < ANSWERS) await askOnce(stage, { gateway: fresh[0], key, callers });
      const expired = await stage.expireAfter(AN_HOUR_MS);

      const bodies = await fetchAll(fresh, key, callers);
      await Promise.all(fresh.map((gateway) => gateway.stop()));
      record(stage, key, { callers, bodies });
      const { problems, charges, audit } = await stage.check();
      expect(problems).toEqual({});
      expect(callers.contradictions).toEqual([]);
      expect(audit.openHolds).toBe(0);

      const charged = new Set(charges.map(({ id }) => id));
      const answered = bodies.filter(({ answer }) => answer !== undefined);
      expect(answered.filter(({ id }) => !charged.has(id))).toEqual([]);
      const failed = bodies.filter(({ error }) => error !== undefined);
      expect(failed.filter(({ id, cost }) => charged.has(id) || cost !== 0)).toEqual([]);
      expect(answered.length + failed.length).toBe(callers.accepted.length);
      expect(callers.accepted.length).toBeGreaterThanOrEqual(ANSWERS);
      console.log(
        `${engine.name}: ${KILLS} gateways killed, ${callers.asked} asked, ${callers.accepted.length} accepted, ` +
          `${answered.length} answers each charged once, ${failed.length} errors charged nothing ` +
          `(${JSON.stringify(failed.reduce(countReason, {}))}), ` +
          `${callers.lost} 202s or look-ups lost, ${callers.refused} refused, ${charges.length} charges, ` +
          `${charges.filter(({ late }) => late).length} of them late, ${expired} holds expired at the end`,
      );
    });
  });
});

/** Asks and looks up while gateways, holds and the server end at random moments. */
async function askUnderKills(stage: Stage, key: TestKey, callers: Callers): Promise<void> {
  const rotation = killInRotation({
    slots: PROCESSES,
    kills: KILLS,
    mostCalls: MOST_CALLS,
    random: stage.random,
    start: () => startPatiently(stage),
  });
  const once = async () => {
    const accepted = await withAny(rotation, (gateway) => askOnce(stage, { gateway, key, callers }));
    if (accepted === undefined) return pause(PAUSE_MS);
    await pause(stage.random.between(0, 80));
    await withAny(rotation, (gateway) => look(gateway, key, { id: accepted.id, callers }));
  };
  await Promise.all([
    keepAsking({ callers: CALLERS, maxCalls: MAX_CALLS, isOver: () => rotation.isOver(), askOnce: once }),
    expireRepeatedly(stage, callers, rotation),
    crashRepeatedly(stage, callers, rotation),
    rotation.finished,
  ]);
}

async function withAny<T>(rotation: Rotation, use: (gateway: GatewayProcess) => Promise<T>): Promise<T | undefined> {
  const gateway = await rotation.any().catch(() => undefined);
  return gateway && use(gateway);
}

/** A gateway does not start while the server is away. */
async function startPatiently(stage: Stage): Promise<GatewayProcess> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await stage.start({ ledgerTimeoutMs: LEDGER_TIMEOUT_MS });
    } catch (error) {
      if (tries === MAX_STARTS) throw error;
      await pause(PAUSE_MS);
    }
  }
}

async function expireRepeatedly(stage: Stage, { accepted }: Callers, rotation: Rotation): Promise<void> {
  for (
    let goal = ANSWERS_PER_EXPIRY;
    await reached(() => accepted.length >= goal, rotation);
    goal += ANSWERS_PER_EXPIRY
  )
    await stage.expireAfter(AN_HOUR_MS).catch(() => 0);
}

async function crashRepeatedly({ engine: { server } }: Stage, callers: Callers, rotation: Rotation): Promise<void> {
  if (server === null) return;
  for (let goal = ANSWERS_PER_CRASH; ; goal += ANSWERS_PER_CRASH) {
    if (!(await reached(() => callers.accepted.length >= goal, rotation))) return;
    await server.kill();
    const refused = callers.refused + REFUSALS_IN_CRASH;
    const giveUpAtMs = Date.now() + PATIENCE_MS;
    // Without a gateway, which cannot start now, there are no refusals to wait for.
    await reached(() => callers.refused >= refused || Date.now() > giveUpAtMs, rotation);
    await server.start();
  }
}

/** @returns `false` if the rotation was over first. */
async function reached(isReached: () => boolean, rotation: Rotation): Promise<boolean> {
  while (!isReached() && !rotation.isOver()) await pause(PAUSE_MS);
  return isReached();
}

interface Asking {
  readonly gateway: GatewayProcess | undefined;
  readonly key: TestKey;
  readonly callers: Callers;
}

/** @returns the accepted answer; `undefined` for a call that was refused or lost. */
async function askOnce({ random }: Stage, { gateway, key, callers }: Asking): Promise<Accepted | undefined> {
  callers.asked += 1;
  const asked = { question: `${key.id} #${callers.asked}`, model: random.pick([FLAT, METERED]) };
  const headers = { prefer: 'respond-async', 'content-type': 'application/json' };
  const body = JSON.stringify({ model: asked.model, query: asked.question });
  const reply = await send(gateway, key, { method: 'POST', path: '/api/v1/answer', headers, body });
  if (reply === undefined) callers.lost += 1;
  else if (reply.status !== 202) callers.refused += 1;
  if (reply?.status !== 202) return undefined;
  const accepted = { ...asked, id: (reply.body as { id: string }).id };
  callers.accepted.push(accepted);
  return accepted;
}

async function look(gateway: GatewayProcess, key: TestKey, { id, callers }: { id: string; callers: Callers }) {
  const reply = await send(gateway, key, { method: 'GET', path: `/api/v1/answers/${id}` });
  if (reply === undefined) callers.lost += 1;
  else if (reply.status === 503) callers.refused += 1;
  else expect(reply).toMatchObject({ status: 200, body: { id } });
  if (reply?.status !== 200) return undefined;
  callers.note(reply.body as AnswerStatusBody);
  return reply.body as AnswerStatusBody;
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** @returns `undefined` for a reply that was lost. */
async function send(gateway: GatewayProcess | undefined, { secret }: TestKey, { headers, ...request }: Sent) {
  try {
    const reply = await gateway?.http.request({
      ...request,
      headers: { ...headers, authorization: `Bearer ${secret}` },
    });
    return reply && { status: reply.statusCode, body: await reply.body.json() };
  } catch {
    return undefined;
  }
}

/** Looks every accepted answer up through all gateways at once: they agree, and none is under way. */
async function fetchAll(gateways: readonly GatewayProcess[], key: TestKey, callers: Callers) {
  const bodies: AnswerStatusBody[] = [];
  for (const { id } of callers.accepted) {
    const found = await Promise.all(gateways.map((gateway) => look(gateway, key, { id, callers })));
    const [first, ...others] = found;
    expect([id, first && callers.note(first)]).toEqual([id, expect.any(String)]);
    for (const other of others) expect(other).toEqual(first);
    bodies.push(first as AnswerStatusBody);
  }
  return bodies;
}

/** Hands the fetched answers to the check of the ledger, which compares each with its charge. */
function record(
  { journal }: Stage,
  key: TestKey,
  { callers, bodies }: { callers: Callers; bodies: AnswerStatusBody[] },
) {
  bodies.forEach(({ id, answer }, index) => {
    if (answer === undefined) return;
    const { question, model } = callers.accepted[index] as Accepted;
    const fetched: AnswerBody = answer;
    expect(fetched).toMatchObject({ id, model, answer: `About ${question}.` });
    const cost = BigInt(Math.round(fetched.usage.cost * 1e9));
    const body = JSON.stringify(fetched);
    const call = { key, question, model };
    journal.record(call, { status: 'answered', answer: { call, id, cost, model, replayed: false, body } });
  });
}

function countReason(counts: Record<string, number>, { error }: AnswerStatusBody): Record<string, number> {
  const reason = String(error?.reason);
  return { ...counts, [reason]: (counts[reason] ?? 0) + 1 };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
