import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../base/errors/request-error.js';
import { createInFlightRequests } from '../limits/in-flight-requests.js';
import { answerEndpoint } from './answer-endpoint.js';
import type { HandlerDeps } from './endpoint.js';
import type { GatewayRequest } from './gateway-request.js';
import { nativeApi } from './wire-schemas.js';

const LIMITS = { maxBodyBytes: 1_000, bodyTimeoutMs: 2_000, maxQueryCharacters: 100 };
const CALL = { apiKey: { organizationId: 'acme' } } as never;

/** An endpoint with one place for a body that is still to come. */
function start() {
  const clock = createFakeClock();
  const one = { total: 1, perOrganization: 1 };
  const admission = createInFlightRequests({
    answers: one,
    bodyReads: one,
    longBodyReads: one,
    maxUnsentBytes: 1,
    clock,
  });
  const callers = { check: () => undefined };
  const { respond } = answerEndpoint(
    { admission, callers, limits: LIMITS, clock, endpoints: {} } as unknown as HandlerDeps,
    nativeApi(100),
  );
  const asked: unknown[] = [];
  const read = (bodyHasArrived: boolean | undefined, fail: () => never) => {
    const readBody = (limits: unknown) => (asked.push(limits), Promise.resolve().then(fail));
    const request = { header: () => undefined, bodyHasArrived, readBody } as unknown as GatewayRequest;
    return respond({ request, reply: null, begin: () => undefined, stream: null }, CALL);
  };
  return { admission, asked, read, clock };
}

const tooLarge = (): never => {
  throw new RequestError('request_too_large');
};
const refused = { reason: 'request_too_large' };

describe('the body of a question', () => {
  it('is read within the limits of the gateway', async () => {
    const { read, asked, clock } = start();
    await expect(read(true, tooLarge)).rejects.toMatchObject(refused);
    expect(asked).toEqual([{ maxBodyBytes: 1_000, bodyTimeoutMs: 2_000, clock }]);
  });

  it.each([undefined, false])('takes a slot until it has arrived (%s), and gives it back', async (arrived) => {
    const { read, admission } = start();
    await expect(read(arrived, tooLarge)).rejects.toMatchObject(refused);
    admission.bodyReads.take('acme');
    await expect(read(arrived, tooLarge)).rejects.not.toMatchObject(refused);
  });

  it('takes no slot when it has already arrived', async () => {
    const { read, admission } = start();
    admission.bodyReads.take('acme');
    await expect(read(true, tooLarge)).rejects.toMatchObject(refused);
  });
});
