import { describe, expect, it } from 'vitest';
import type { GatewayRequest, KeyIdentity } from '../src/index.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { OUTCOME, scripted, start } from './scripted-gateway.js';

const CALLER: KeyIdentity = { id: 'dashboard', organizationId: 'acme', label: 'Dashboard' };

/** A request without a key, from a caller authenticated by the host. */
function ask(host: KeyIdentity, model = 'exa/answer'): GatewayRequest<KeyIdentity> {
  return { ...requestOf('answer', { headers: { authorization: undefined }, body: { model, query: 'When?' } }), host };
}

describe('handleAs', () => {
  it('answers a caller authenticated by the host, and charges it like any other', async () => {
    const { gateway, ledger, events, clock } = start([scripted('exa', [OUTCOME]).provider]);
    const response = await gateway.handleAs(ask(CALLER));
    expect(response).toMatchObject({
      status: 200,
      headers: { 'server-timing': expect.stringContaining('gateway;dur=') },
    });
    expect(JSON.parse(bodyText(response))).toMatchObject({ answer: OUTCOME.text, usage: { cost: 0.005 } });
    expect(await ledger.keyTotals('dashboard')).toMatchObject({ usage: 5_000_000n });
    await clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toContainEqual(expect.objectContaining({ type: 'request_finished', keyId: 'dashboard' }));
  });

  it('enforces the limits of that caller, with the usual errors', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    const refused = await gateway.handleAs(ask({ ...CALLER, limit: '0.001' }));
    expect(JSON.parse(bodyText(refused))).toMatchObject({ error: { code: 402, reason: 'key_limit_reached' } });
    const unknown = await gateway.handleAs(ask(CALLER, 'exa/nothing'));
    expect(JSON.parse(bodyText(unknown))).toMatchObject({ error: { reason: 'model_not_found' } });
  });

  it('refuses an invalid identity, such as a framework’s request', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    for (const host of [undefined, { url: '/', headers: {} }, { ...CALLER, id: '' }]) {
      const response = await gateway.handleAs(ask(host as unknown as KeyIdentity));
      expect(response).toMatchObject({ status: 500, body: expect.stringContaining('hook_failed') });
    }
  });

  it('ignores paths that are not the gateway’s', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    expect(await gateway.handleAs({ ...ask(CALLER), path: '/else' })).toBeUndefined();
  });
});
