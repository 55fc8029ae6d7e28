import { mountRelay } from '../mount.ts';
import { isNodeRequest, nodeCall } from '../node-call.ts';
import { type RelayOptions, withoutSlash } from '../relay-options.ts';

/** A context of Koa, as far as the relay uses it. */
interface RelayKoaContext {
  path: string;
  req: object;
  request: object;
  status: number;
  body: unknown;
  set(name: string, value: string): unknown;
}

/** The relay for Koa: `app.use(relay())`, before body parsers, CSRF protection and sign-in. */
export function relay(
  options: RelayOptions = {},
): (context: RelayKoaContext, next: () => Promise<unknown>) => Promise<unknown> {
  const mounted = mountRelay(options);
  return async (context, next) => {
    if (withoutSlash(context.path) !== mounted.settings.path || !isNodeRequest(context.req)) return next();
    const answer = await mounted.answer(
      nodeCall(context.req, {
        original: context,
        parsedBody: Reflect.get(context.request, 'body'),
        framework: null,
      }),
    );
    context.status = answer.status;
    context.body = answer.body;
    // A body of null would make it 204.
    context.status = answer.status;
    for (const [name, value] of Object.entries(answer.headers)) context.set(name, value);
    if (answer.closesConnection && context.req.httpVersionMajor === 1) context.set('Connection', 'close');
    return undefined;
  };
}
