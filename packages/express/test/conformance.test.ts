import { httpConformance, nodeHost } from '@searchgate/testing';
import express from 'express';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

// The adapter is the same for both major versions, so the older version skips the byte tests.
const isOlder = process.env['TEST_PROJECT'] === 'express4';

httpConformance({
  describe,
  it,
  host: 'Express',
  capabilities: { bodyParserInFront: false, sockets: true },
  rows: isOlder ? 'transport' : 'all',
  start: (gateway) => nodeHost(express().use(gatewayRouter(gateway))),
});
