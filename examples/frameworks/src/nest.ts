import 'reflect-metadata';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
} from '@nestjs/common';
import type { Gateway } from '@searchgate/core';
import { gatewayRouter } from '@searchgate/express';

const GATEWAY = Symbol('gateway');

/**
 * Serves the gateway under /search, on Nest's Express and Fastify platforms alike: `imports: [SearchModule.serving(gateway)]`.
 *
 * Nest strips everything that the pattern matches, so the router needs the prefix. With `setGlobalPrefix('v2')` the prefix is `/v2/search`.
 */
@Module({})
export class SearchModule implements NestModule, BeforeApplicationShutdown {
  constructor(@Inject(GATEWAY) private readonly gateway: Gateway) {}

  static serving(gateway: Gateway): DynamicModule {
    return { module: SearchModule, providers: [{ provide: GATEWAY, useValue: gateway }] };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(gatewayRouter(this.gateway, { prefix: '/search' })).forRoutes('search/*path');
  }

  /** Called before Nest stops listening, by `app.close()` and, with `app.enableShutdownHooks()`, on SIGTERM. From then on no connection is kept alive. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.gateway.close();
  }
}
