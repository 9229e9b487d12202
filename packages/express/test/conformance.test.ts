import { httpConformance, nodeHost } from '@searchgate/testing';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import express from 'express';
import { describe, it } from 'vitest';
import { gatewayRouter } from '../src/index.js';

// The adapter is the same for both major versions, so the older version skips the byte tests.
const isOlder = process.env['TEST_PROJECT'] === 'express4';

httpConformance({
  ...(isOlder ? chosenRows({ describe, it }, 10) : { describe, it }),
  host: 'Express',
  capabilities: { bodyParserInFront: false, sockets: true },
  rows: isOlder ? 'transport' : 'all',
  start: (gateway) => nodeHost(express().use(gatewayRouter(gateway))),
});
