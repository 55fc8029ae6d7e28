import { init } from './index.ts';

export * from './index.ts';
export * from './integrations.ts';

const tag = globalThis.document?.currentScript;
// A tag that says whose failures these are starts the library; with a token they go to where the script came from.
// A worker has neither a tag nor the class of one.
if (tag && tag instanceof HTMLScriptElement && (tag.dataset.token ?? tag.dataset.service) !== undefined) {
  const { token, service, environment, release, endpoint } = tag.dataset;
  const from = token === undefined ? undefined : new URL(tag.src).origin;
  init({ token, service, environment, release, endpoint: endpoint ?? from });
}
