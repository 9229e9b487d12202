import { standaloneSuite } from '@searchgate-examples/standalone-config/testing';

standaloneSuite('Koa', new URL('./server.ts', import.meta.url));
