export type { Diagnostic } from '../../sdk-core/src/diagnostics.ts';
export type { Breadcrumb, Hint } from '../../sdk-core/src/options.ts';
export { SDK_VERSION } from '../../sdk-core/src/version.ts';
export * from './api.ts';
export type {
  DeployInfo,
  Diagnostics,
  RequestInfo,
  ResponseInfo,
  Scope,
  SetupVerdict,
} from './client/implementation.ts';
export type { CaptureSwitches, NodeOptions } from './client/node-options.ts';
