import { httpConformance, nodeHost } from '@searchgate/testing';
import express from 'express';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

httpConformance({
  describe,
  it,
  host: 'Express, express.json() in front',
  capabilities: { bodyParserInFront: true, sockets: true },
  rows: 'transport',
  start: (gateway) => nodeHost(express().use(express.json(), gatewayRouter(gateway))),
});
