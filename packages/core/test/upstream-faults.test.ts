import { createFakeClock, FAULT_EXPECTATIONS, FAULTS, type Fault, startFaultUpstream } from '@searchgate/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isUpstreamError, type UpstreamError } from '../src/base/errors/upstream-error.js';
import { Deadline } from '../src/base/time/deadline.js';
import { parseJsonObject, upstreamFailure } from '../src/provider-kit/upstream-failure.js';
import type { UpstreamClient } from '../src/upstream/upstream-client.js';
import { createUpstreamPools } from '../src/upstream/upstream-pools.js';

const DEADLINE_MS = 30_000;
const ANSWER = { answer: 'It opened in May 2021 [1].', citations: [{ url: 'https://example.org/' }] };

/** What every provider's translator does, at its shortest. */
async function ask(upstream: UpstreamClient, baseUrl: string): Promise<string> {
  const url = new URL(`${baseUrl}/answer`);
  const response = await upstream.send({ method: 'POST', url, headers: {}, json: { query: 'When?' } });
  if (response.status !== 200) throw upstreamFailure(response);
  const { answer } = parseJsonObject(response);
  if (typeof answer !== 'string' || answer === '') throw upstreamFailure(response, { detail: 'no answer' });
  return answer;
}

async function setUp() {
  const clock = createFakeClock();
  const upstream = await startFaultUpstream({ healthyReply: { body: JSON.stringify(ANSWER) }, clock });
  const pools = createUpstreamPools({
    clock,
    maxUpstreamBytes: 8 * 1_024 * 1_024,
    connectTimeoutMs: 5_000,
    maxConnectionsPerOrigin: 8,
  });
  onTestFinished(async () => {
    await pools.close();
    await upstream.close();
  });
  /** One attempt; resolves with the answer or with the error. */
  const attempt = async (): Promise<string | UpstreamError> => {
    const deadline = new Deadline(clock, DEADLINE_MS);
    try {
      return await ask(pools.open(deadline), upstream.url);
    } catch (error) {
      if (isUpstreamError(error)) return error;
      throw error;
    } finally {
      deadline.clear();
    }
  };
  return { clock, upstream, attempt };
}

const needsTime = (fault: Fault) => FAULT_EXPECTATIONS[fault].reason === 'upstream_timeout';

describe('an attempt', () => {
  it.each(FAULTS)(
    'at an upstream with the fault %s ends as the list of faults says, and the next one succeeds',
    async (fault) => {
      const { clock, upstream, attempt } = await setUp();
      await expect(attempt()).resolves.toBe(ANSWER.answer);
      await upstream.setFault(fault);
      const outcome = attempt();
      if (needsTime(fault)) {
        await upstream.served(2);
        await clock.advance(DEADLINE_MS);
      }
      await expect(outcome).resolves.toMatchObject(FAULT_EXPECTATIONS[fault]);
      await upstream.setFault('healthy');
      await expect(attempt()).resolves.toBe(ANSWER.answer);
    },
  );

  it('at an upstream that sends a burst of informational replies first succeeds, on one connection', async () => {
    const { upstream, attempt } = await setUp();
    await upstream.setFault('healthy_after_informational');
    for (let count = 0; count < 3; count += 1) await expect(attempt()).resolves.toBe(ANSWER.answer);
    expect(upstream.connections).toBeLessThanOrEqual(2);
  });

  it.each(FAULTS.filter(needsTime))('at an upstream with the fault %s lasts as long as its deadline', async (fault) => {
    const { clock, upstream, attempt } = await setUp();
    await upstream.setFault(fault);
    let ended = false;
    const outcome = attempt().finally(() => {
      ended = true;
    });
    await upstream.served(1);
    await clock.advance(DEADLINE_MS - 1);
    expect(ended).toBe(false);
    await clock.advance(1);
    await outcome;
  });
});
