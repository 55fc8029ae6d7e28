import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderBelowHosts, type HostFolder } from '../../sdk-test-hosts/hosts.ts';
import { showBuiltPage } from './support/built-page.ts';
import { openPageLab, type PageLab } from './support/page-lab.ts';

/**
 * The errors of HTTP clients in a page. The README promises that no form value and no query leaves with them: a value
 * below a secret key, one below a plain key, and the number of a card.
 */

const INSTALL_MAX_MS = 300_000;
const [SECRET, ENTERED, CARD] = ['Pw-planted-7', 'ann-planted', '4111111111111111'];

/** What every page has: what a user entered, and `keep`, which captures each failure with a route of its own. */
const ENTRIES = `
  import { captureException, withScope } from '@culprit/browser';
  const entered = { username: '${ENTERED}', password: '${SECRET}', card: '${CARD}' };
  const headers = { Authorization: 'Bearer ${SECRET}', 'x-user': '${ENTERED}' };
  const url = location.origin + '/status/422/login?user=${ENTERED}&reset_token=${SECRET}';
  const keep = (of) => (error) => withScope((scope) => { scope.setRoute(of); captureException(error); });
  const fails = async (of, call) => { let failed; await call().catch((error) => { failed = true; keep(of)(error); }); if (!failed) throw new Error(of + ' did not fail'); };
`;

let lab: PageLab;
let folder: HostFolder;
beforeAll(async () => {
  lab = await openPageLab();
  folder = await folderBelowHosts();
  const answer = { errors: { username: ENTERED }, token: SECRET, card: CARD };
  lab.site.serve('/status/422/login', 'application/json', JSON.stringify(answer));
}, INSTALL_MAX_MS);
afterAll(async () => {
  await lab?.close();
  await folder?.remove();
});

/** Shows a page, asks that nothing entered left it, and returns its exceptions by what they are of. */
async function exceptionsOf(name: string, source: string, options = '') {
  lab.endpoint.requests.length = 0;
  const { sent } = await showBuiltPage(lab, folder, name, ENTRIES + source, options);
  const left = lab.endpoint.requests.map(({ path, body }) => path + body).join('\n');
  for (const value of [SECRET, ENTERED, CARD]) expect(left).not.toContain(value);
  const exceptions = sent.filter(({ event_type }) => event_type === 'frontend_exception');
  return new Map(
    exceptions.map((event) => {
      const { route, message } = event.payload;
      return [String(route === `/${name}` ? message : route), event];
    }),
  );
}

describe('what HTTP clients hang on their errors', () => {
  it('stays in the page, but for method, address and status', async () => {
    const found = await exceptionsOf(
      'clients',
      `import axios, { AxiosError } from 'axios';
       import ky from 'ky';
       const form = new FormData();
       for (const [key, value] of Object.entries(entered)) form.append(key, value);
       window.ready = (async () => {
         await fails('axios', () => axios.post(url, entered, { headers, params: { q: '${ENTERED}' }, auth: { username: '${ENTERED}', password: '${SECRET}' } }));
         await fails('axios form', () => axios.post(url, form, { headers }));
         await fails('axios parameters', () => axios.put(url, new URLSearchParams(entered)));
         await fails('axios variables', () => axios.post(url, { query: 'mutation { signIn }', variables: entered }));
         await fails('axios answer', () => axios.post(url, entered, { headers }).catch((error) => { throw error.response; }));
         await fails('axios as JSON', () => axios.post(url, entered).catch((error) => { throw { ...JSON.parse(JSON.stringify(error)), stack: undefined, status: null }; }));
         await fails('axios refused', () => axios.get('http://127.0.0.1:1/refused?user=${ENTERED}', { headers }));
         await fails('axios cause', () => axios.post(url, entered).catch((error) => { throw new Error('sign in', { cause: new Error('of the store', { cause: error }) }); }));
         await fails('axios together', () => axios.post(url, entered).catch((error) => { throw new AggregateError([error], 'all'); }));
         await fails('axios aborted', () => axios.post(url, entered, { signal: AbortSignal.abort() }));
         await fails('ky', () => ky.post(url, { json: entered, headers, retry: 0 }));
         await fails('ky form', () => ky.post(url, { body: form, retry: 0, searchParams: { q: '${ENTERED}' } }));
         await fails('ky refused', () => ky.get('http://127.0.0.1:1/refused?user=${ENTERED}', { retry: 0 }));
         await fails('fetch', () => fetch('http://127.0.0.1:1/refused?user=${ENTERED}', { method: 'POST', body: JSON.stringify(entered) }));
         await fails('fetch credentials', () => fetch('http://ann:${SECRET}@127.0.0.1:1/?user=${ENTERED}'));
         await fails('fetch answer', () => fetch(url, { method: 'POST', body: form }).then((answer) => { throw answer; }));
       })();`,
    );
    const address = `${lab.site.origin}/status/422/login`;
    const error = (of: string) => found.get(of)?.context.error;
    const call = (method: RegExp) => ({ method: expect.stringMatching(method), url: address, status: 422 });
    for (const of of ['axios', 'axios form', 'axios variables', 'axios answer', 'ky', 'ky form'])
      expect(error(of), of).toMatchObject(call(/^post$/i));
    expect(error('axios parameters')).toMatchObject(call(/^put$/i));
    for (const of of ['axios refused', 'ky refused'])
      expect(JSON.stringify(found.get(of)), of).toContain('http://127.0.0.1:1/refused');
    expect(error('axios')).toMatchObject({ code: 'ERR_BAD_REQUEST' });
    expect(found.get('axios as JSON')?.payload.message).toContain('status code 422');
    expect(found.get('axios cause')?.payload.stack).toContain('Caused by: AxiosError: Request failed');
    expect(found.get('axios together')?.payload.stack).toContain('Caused by: AxiosError: Request failed');
    expect(found.get('ky')?.payload.message).toContain(`POST ${address}`);
    expect(found.size).toBe(16);
  }, 60_000);

  it('stays in the page where nothing catches them, and where they are printed', async () => {
    const found = await exceptionsOf(
      'uncaught',
      `import { consoleCapture } from '@culprit/browser/integrations';
       import axios from 'axios';
       import ky from 'ky';
       const once = (name) => new Promise((resolve) => addEventListener(name, resolve, { once: true }));
       window.ready = (async () => {
         const calls = [
           () => axios.post(url, entered, { headers }),
           () => ky.post(url, { json: entered, retry: 0 }),
           () => axios.post(url, entered).catch((error) => { throw error.response; }),
           () => ky.post(url, { json: entered, retry: 0 }).catch((error) => { throw error.message; }),
         ];
         for (const call of calls) { const heard = once('unhandledrejection'); void call(); await heard; }
         const error = await ky.post(url, { json: entered, retry: 0 }).catch((failed) => failed);
         const heard = once('error');
         setTimeout(() => { throw 'not sent: ' + error.message; });
         await heard;
         console.error('not signed in', error);
         captureException(new Error('end'), { context: { last: error, asked: new Request(url, { headers }) } });
       })();`,
      'integrations: [consoleCapture()]',
    );
    const reasons = [...found.values()].map(({ payload }) => Object(payload.rejection_reason));
    expect(reasons.filter(({ message }) => String(message).includes('422'))).not.toEqual([]);
    const end = found.get('end');
    expect(JSON.stringify(end?.payload.breadcrumbs)).toContain('not signed in');
    expect(end?.context).toMatchObject({
      last: { name: 'HTTPError' },
      asked: { method: 'GET', url: `${lab.site.origin}/status/422/login` },
    });
  }, 60_000);

  it('stays in the page with the forms of other clients: Angular, jQuery, React Router, graphql-request', async () => {
    const found = await exceptionsOf(
      'others',
      `import { angularErrorHandler, reactErrorHandler } from '@culprit/browser/frameworks';
       const text = JSON.stringify({ errors: { username: '${ENTERED}' } });
       // As Angular makes them: no Error, the body as \`error\`, the whole address in the message.
       const answer = (error, address) => ({ headers: { lazyUpdate: null }, status: 422, statusText: 'Unprocessable', url: address, ok: false, type: undefined, name: 'HttpErrorResponse', message: 'Http failure response for ' + address + ': 422 Unprocessable', error });
       angularErrorHandler.handleError(answer(entered, url));
       angularErrorHandler.handleError(answer('${ENTERED}', '/relative?user=${ENTERED}'));
       // As zone.js wraps what nothing catches.
       const inPromise = answer(entered, '/promise?user=${ENTERED}');
       angularErrorHandler.handleError(Object.assign(new Error('Uncaught (in promise): HttpErrorResponse: ' + JSON.stringify(inPromise)), { rejection: inPromise }));
       keep('jquery')({ readyState: 4, responseText: text, responseJSON: entered, status: 422, statusText: 'error', getResponseHeader() {} });
       keep('route')({ status: 500, statusText: 'failed', internal: false, data: entered });
       const request = { query: 'mutation SignIn { signIn }', variables: entered };
       const response = { errors: [{ message: 'refused', path: ['signIn'] }], status: 200, data: { user: '${ENTERED}' } };
       keep('graphql')(Object.assign(new Error('refused: ' + JSON.stringify({ response, request })), { response, request }));
       keep('variable')(new Error('Variable "$input" got invalid value { username: "${ENTERED}" }; Field "password" of type "String!" was not provided.'));
       keep('plain')({ code: 'E_LOGIN', message: 'refused', data: entered, config: { data: text }, nested: { body: text, params: entered } });`,
    );
    expect(
      found.get(`Http failure response for ${lab.site.origin}/status/422/login 422 Unprocessable`),
    ).toMatchObject({
      payload: { name: 'HttpErrorResponse' },
      context: { error: { status: 422, url: `${lab.site.origin}/status/422/login` } },
    });
    expect(found.get('Http failure response for /relative 422 Unprocessable')).toBeDefined();
    expect(found.get('Http failure response for /promise 422 Unprocessable')).toBeDefined();
    expect(found.get('jquery')?.payload.message).toContain('422');
    expect(found.get('route')?.payload.message).toContain('500');
    expect(found.get('graphql')?.payload.message).toBe('refused');
    expect(found.get('variable')?.payload.message).toBe('Variable "$input" got invalid value');
    expect(found.get('plain')).toMatchObject({
      payload: { message: 'refused' },
      context: { error: { code: 'E_LOGIN' } },
    });
    expect(found.size).toBe(8);
  }, 60_000);
});
