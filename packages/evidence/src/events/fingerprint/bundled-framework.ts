import { forwardSlashes } from './file-path.ts';
import type { ParsedFrame } from './stack/parsed-stack.ts';

/**
 * Code of frameworks that bundlers of servers put beside the application's own (docs/contract/grouping.md 4): its frames
 * are those of the way a request took, and no directory of packages gives them away.
 */

/** Files in which bundlers gather a framework, with what the application has of plugins and helpers. */
const GATHERED =
  /\/(?:chunks\/(?:nitro\/[^/]{1,100}|_\/nitro|runtime|build\/server|astro\/[^/]{1,100}|_@astrojs-[^/]{1,100}|_?astro[-_][^/]{1,100})\.mjs|renderers\.mjs|server\/chunks\/(?:internal|exports|event|server|shared|shared-server|environment|ssr)\d{0,2}(?:-[\w-]{8})?\.js)$/;
/** SvelteKit's, which are the application's own where no chunks lie beside them. */
const BESIDE_CHUNKS = /\/(?:server\/index|handler)\.js$/;
const CHUNKS = '/server/chunks/';

/** Calls of frameworks and bundlers that no application is likely to name like this. */
const CALL =
  /^(?:(?:[\w$]{1,40}\.)?(?:toNodeHandle|_?callHandler|handle_request|handleRequest|process_params|internal_respond|load_server_data|render_(?:endpoint|page|response|data))|Layer\.\w{1,40}|Route\.dispatch|router\.handle|Router\.(?:handle|process_params)|callAsync|callRoute(?:Handler|Loader|Action)|callLoaderOrAction|__(?:webpack|nccwpck|rspack)_require__|__commonJS(?:Min)?|__esm(?:Min)?|__require\d{0,3}|__vite_ssr_\w{1,40}|(?:preHandler|preParsing|preValidation|onRequest)Callback\d{0,3}|validationCompleted\d{0,3}|(?:\w{1,40}\.)?#dispatch|responseVia(?:ResponseObject|Cache)\d{0,3}|NodeApp\.\w{1,40}|RenderContext\.\w{1,40}|AstroComponentInstance\.\w{1,40}|renderToString|renderEndpoint)$/;
/** Those that are the framework's in the files that it shares with the application. */
const CALL_IN_GATHERED =
  /^(?:_?handler|<anonymous>|localCall|localFetch|createError|createFetchError|read(?:Raw|Validated)?Body|\$fetch\w{0,10}|errorHandler|defaultHandler|resolve|respond|ssr|get_hooks|\w{0,10}_request_store|load_data|Server\.\w{1,40}|Array\.\w{1,40}|render\w{0,40}|callMiddleware|lastNext)$/;

/**
 * Routers whose calls have common names, each with a call that gives it away. Bundlers that put all into one file number
 * the names that are there twice.
 */
const ROUTERS: readonly { told: RegExp; calls: RegExp }[] = [
  {
    // Express.
    told: /^(?:Layer\.\w{1,40}|Route\.dispatch)$/,
    calls:
      /^(?:next\d{0,3}|trim_prefix\d{0,3}|(?:Function|\w{0,40}[aA]pp|\w{0,40}[rR]outer)\.(?:handle|process_params))$/,
  },
  // Hono, Koa.
  {
    told: /#dispatch$|^Application\.handleRequest$/,
    calls: /^(?:dispatch\d{0,3}|Application\.handleRequest)$/,
  },
];

/** The frames without those of the framework, newest first; all of them where nothing else is left. */
export function withoutFramework(frames: readonly ParsedFrame[]): readonly ParsedFrame[] {
  if (frames.length < 2) return frames;
  const files = frames.map(({ file, isServed }) =>
    file === null || isServed === true ? '' : forwardSlashes(file),
  );
  const hasChunks = files.some((file) => file.includes(CHUNKS));
  const gathered = files.map((file) => GATHERED.test(file) || (hasChunks && BESIDE_CHUNKS.test(file)));
  const first = gathered.indexOf(false);
  const routers = ROUTERS.filter(({ told }) => frames.some(({ function: name }) => told.test(name)));
  const kept = frames.filter(({ function: name, isServed }, index) => {
    if (isServed === true) return true;
    if (routers.some(({ calls }) => calls.test(name))) return false;
    if (!gathered[index]) return !CALL.test(name);
    // A helper of the application can be among them: it is newer than the first frame of a separate file.
    return (first === -1 || index < first) && !CALL.test(name) && !CALL_IN_GATHERED.test(name);
  });
  return kept.length > 0 ? kept : frames;
}
