import { describe, expect, it } from 'vitest';
import { createPlaces } from './semaphore.js';

const OVERLOADED = expect.objectContaining({ reason: 'overloaded', status: 503, retryAfterMs: 1_000 }) as Error;

describe('places', () => {
  it('are taken up to their number, and again when others are given back', () => {
    const places = createPlaces({ total: 2, perOrganization: 2 });
    places.take('acme');
    places.take('globex');
    expect(() => places.take('initech')).toThrow(OVERLOADED);
    places.free('acme');
    expect(() => places.take('initech')).not.toThrow();
  });

  it('are taken by one organization up to its share, which leaves the rest to others', () => {
    const places = createPlaces({ total: 4, perOrganization: 1 });
    places.take('acme');
    expect(() => places.take('acme')).toThrow(OVERLOADED);
    expect(() => places.take('globex')).not.toThrow();
    places.free('acme');
    expect(() => places.take('acme')).not.toThrow();
  });

  it('are given back one by one', () => {
    const places = createPlaces({ total: 4, perOrganization: 2 });
    places.take('acme');
    places.take('acme');
    places.free('acme');
    expect(() => places.take('acme')).not.toThrow();
    expect(() => places.take('acme')).toThrow(OVERLOADED);
  });

  it('that were refused are not counted', () => {
    const places = createPlaces({ total: 3, perOrganization: 1 });
    places.take('acme');
    for (let refused = 0; refused < 5; refused += 1) expect(() => places.take('acme')).toThrow(OVERLOADED);
    places.take('globex');
    expect(() => places.take('initech')).not.toThrow();
  });

  it('remember nothing of organizations that hold none', () => {
    const places = createPlaces({ total: 2, perOrganization: 1 });
    for (let round = 0; round < 3; round += 1) {
      for (let each = 0; each < 1_000; each += 1) {
        places.take(`organization-${each}`);
        places.free(`organization-${each}`);
      }
    }
    places.take('acme');
    expect(() => places.take('globex')).not.toThrow();
  });
});
