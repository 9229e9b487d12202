import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { exa, google, perplexity } from '@searchgate/core/providers';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { describe, expect, it } from 'vitest';
import { startNotice } from './start-notice.js';

const documents = [
  { source: 'shop', url: 'https://example.org/shop.md', markdown: '# Shop\n\nThe shop opens at nine.' },
];
const gatewayWith = (...providers: Provider[]) =>
  createGateway({
    providers: [localDocs({ documents }), ...providers],
    apiKeys: memoryApiKeys(),
    ledger: memoryLedger(),
  });
const gateway = gatewayWith(exa({ apiKey: 'exa' }), perplexity({ apiKey: 'pplx' }));
const demo = { secret: 'sg_demo', limit: 1_000_000_000n, limitReset: null, isRevoked: false, kept: null };
const kept = { ledger: 'data/searchgate.db', keyFile: 'data/demo-key' };
const notice = { gateway, url: 'http://127.0.0.1:3000', demo, question: "What's on?" };

describe('startNotice', () => {
  it('lists the models that can be called, with their prices', () => {
    const text = startNotice(notice);
    expect(text).toMatch(/^ {2}local\/docs +\$0\.001 a request$/m);
    expect(text).toMatch(/^ {2}exa\/answer +\$0\.\d+ a request$/m);
    expect(text).toMatch(/^ {2}perplexity\/\S+ +by use: \$/m);
  });

  it('tells what the terms of Google ask, where it is enabled', () => {
    const withGoogle = startNotice({ ...notice, gateway: gatewayWith(google({ apiKey: 'AIza' })) });
    expect(withGoogle).toContain('Do not show answers of google/ models to users: docs/providers/google.md');
    expect(startNotice(notice)).not.toContain('google');
  });

  it('quotes the question for the shell', () => {
    const text = startNotice({ ...notice, gateway: gatewayWith() });
    expect(text).toContain(String.raw`-d '{"model":"local/docs","query":"What'\''s on?"}'`);
  });

  it('asks a model of the provider whose key was given', () => {
    expect(startNotice({ ...notice, gateway: gatewayWith(perplexity({ apiKey: 'pplx' })) })).toMatch(
      /-d '{"model":"perplexity\//,
    );
    expect(startNotice(notice)).toMatch(/-d '{"model":"exa\/answer"/);
  });

  it('shows the demo key, but no key of a configuration', () => {
    expect(startNotice(notice)).toContain('Authorization: Bearer sg_demo"');
    const configured = startNotice({ ...notice, demo: null });
    expect(configured).not.toContain('sg_');
    expect(configured).toContain('Authorization: Bearer $SEARCHGATE_API_KEY"');
  });

  it('tells whether the demo outlives the service', () => {
    expect(startNotice(notice)).toContain(
      'a key that may spend $1.00 of it.\nBoth are forgotten when the service stops.',
    );
    const durable = startNotice({ ...notice, demo: { ...demo, kept } });
    expect(durable).toContain('in data/searchgate.db, and the key in data/demo-key:\n\n  sg_demo\n');
  });

  it('tells what an administrator has made of the demo key', () => {
    const changed = { ...demo, kept, limit: 2_500_000_000n, limitReset: 'daily' as const };
    expect(startNotice({ ...notice, demo: changed })).toContain('a key that may spend $2.50 of it, daily.');
    const revoked = startNotice({ ...notice, demo: { ...demo, kept, isRevoked: true } });
    expect(revoked).toContain('Remove data/demo-key to get another one.');
    expect(revoked).not.toContain('sg_demo');
  });
});
