import { httpConformance, nodeHost } from '@searchgate/testing';
import express from 'express';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

// The adapter is the same for both major versions: the older one need not show again what it makes of the same bytes.
const rows = process.env['TEST_PROJECT'] === 'express4' ? 'transport' : 'all';

httpConformance({
  describe,
  it,
  host: 'Express',
  capabilities: { bodyParserInFront: false, sockets: true },
  rows,
  start: (gateway) => nodeHost(express().use(gatewayRouter(gateway))),
});

httpConformance({
  describe,
  it,
  host: 'Express, express.json() in front',
  capabilities: { bodyParserInFront: true, sockets: true },
  rows: 'transport',
  start: (gateway) => nodeHost(express().use(express.json(), gatewayRouter(gateway))),
});
