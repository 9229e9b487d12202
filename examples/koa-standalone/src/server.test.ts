import { standaloneSuite } from '@searchgate/server/testing';

standaloneSuite('Koa', new URL('./server.ts', import.meta.url));
