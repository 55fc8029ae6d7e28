import { mountRelay } from '../mount.ts';
import { isNodeRequest, nodeCall } from '../node-call.ts';
import type { RelayCall } from '../relay-call.ts';
import type { RelayOptions } from '../relay-options.ts';
import { addRelayPath } from '../relay-paths.ts';

/** An instance of Fastify, as far as the relay uses it. */
interface RelayFastifyInstance {
  readonly prefix: string;
  all(path: string, options: object): unknown;
}

interface Reply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string): unknown;
}

/** The relay for Fastify: `app.register(relay, { path: '/culprit/browser' })`. */
export async function relay(instance: RelayFastifyInstance, options: RelayOptions = {}): Promise<void> {
  const mounted = mountRelay(options);
  addRelayPath(`${instance.prefix}${mounted.settings.path}`);
  instance.all(mounted.settings.path, {
    // Before any content parser: the relay judges the body itself, whatever its media type is.
    onRequest: async (request: object, reply: Reply) => {
      const raw: unknown = Reflect.get(request, 'raw');
      if (!isNodeRequest(raw)) return reply;
      const facts = { original: request, parsedBody: undefined, framework: frameworkFacts(request) };
      const answer = await mounted.answer(nodeCall(raw, facts));
      reply.code(answer.status);
      for (const [name, value] of Object.entries(answer.headers)) reply.header(name, value);
      if (answer.closesConnection && raw.httpVersionMajor === 1) reply.header('Connection', 'close');
      reply.send(answer.body ?? undefined);
      return reply;
    },
    handler: async () => undefined,
  });
}

/** The setting `trustProxy` of the server: `ips` lists more than the connection when that was trusted. */
function frameworkFacts(request: object): RelayCall['framework'] {
  const address: unknown = Reflect.get(request, 'ip');
  const addresses: unknown = Reflect.get(request, 'ips');
  return {
    address: typeof address === 'string' ? address : null,
    isProxyTrusted: Array.isArray(addresses) && addresses.length > 1,
  };
}
