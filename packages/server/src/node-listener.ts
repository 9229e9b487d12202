import type { RequestListener } from 'node:http';
import { handleNode } from '@searchgate/core/node';
import type { Service } from './service.js';

/** Serves a service over plain node:http, without a framework. */
export function nodeListener({ gateway, handleOthers }: Service): RequestListener {
  return (req, res) => {
    void handleNode(gateway, { req, res }).then((wasOurs) => (wasOurs ? undefined : handleOthers(req, res)));
  };
}
