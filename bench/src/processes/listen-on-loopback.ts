import net from 'node:net';
import { announceReady } from './commands.js';

/**
 * Loaded before a server whose code is not ours: makes it listen on a free loopback port, whatever it was told, and announces the port.
 */
const listen = net.Server.prototype.listen as (this: net.Server, port: number, host: string) => net.Server;

net.Server.prototype.listen = function listenOnLoopback(this: net.Server): net.Server {
  this.once('listening', () => {
    const address = this.address();
    announceReady(typeof address === 'object' ? address?.port : undefined);
  });
  return listen.call(this, 0, '127.0.0.1');
};
