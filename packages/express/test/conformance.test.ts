import { httpConformance, nodeHost } from '@searchgate/testing';
import express from 'express';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

httpConformance({
  describe,
  it,
  host: 'Express',
  capabilities: { bodyParserInFront: false, sockets: true },
  start: (gateway) => nodeHost(express().use(gatewayRouter(gateway))),
});

httpConformance({
  describe,
  it,
  host: 'Express, express.json() in front',
  capabilities: { bodyParserInFront: true, sockets: true },
  start: (gateway) => nodeHost(express().use(express.json(), gatewayRouter(gateway))),
});
