export type {
  BodyLimits,
  BodyWriter,
  Delivery,
  GatewayRequest,
  GatewayResponse,
  MountableGateway,
  ReplyListener,
  RequestBody,
  StreamedBody,
} from '../http/gateway-request.js';
export { checkMount, isCalledBy, type StripMountPath, stripMountPath } from '../http/mount-path.js';
export { type CloseServerOptions, closeServer } from './close-server.js';
export { handleNode, nodeResponse } from './handle-node.js';
export type { NodeCall, NodeIncoming } from './node-request.js';
export type { NodeResponse } from './handle-node.js';
export { type ProtectServerOptions, protectServer } from './protect-server.js';
