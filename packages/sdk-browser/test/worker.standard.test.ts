import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { openPageLab, type PageLab, TOKEN } from './support/page-lab.ts';

/** The library where there is no document: docs/contract/clients.md 5.1. */

let lab: PageLab;
beforeAll(async () => {
  lab = await openPageLab();
}, 120_000);
afterAll(() => lab?.close());

describe('the library apart from pages that use it', () => {
  it('sends the errors that nobody caught in a worker', async () => {
    lab.site.serve(
      '/worker.js',
      'text/javascript',
      `importScripts('/culprit.js');
       culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}', service: 'worker' });
       culprit.addBreadcrumb({ type: 'step', message: 'in a worker' });
       setTimeout(() => { throw new TypeError('thrown in a worker'); });`,
    );
    const open = await lab.open(null);
    await open.page.evaluate("void (window.worker = new Worker('/worker.js'))");
    await eventually(() =>
      expect(lab.endpoint.ofType('frontend_exception')).toMatchObject([
        {
          service: { name: 'worker' },
          correlation: { session_id: expect.any(String) },
          payload: {
            name: 'TypeError',
            message: 'thrown in a worker',
            handled: false,
            breadcrumbs: [{ breadcrumb_type: 'step' }],
          },
        },
      ]),
    );
    await open.context.close();
  });

  it('costs a page nothing while the script is only loaded', async () => {
    const open = await lab.open(
      null,
      '',
      'window.originals = [fetch, XMLHttpRequest.prototype.open, history.pushState]; window.listened = []; { const add = EventTarget.prototype.addEventListener; EventTarget.prototype.addEventListener = function (type, ...rest) { listened.push(type); return add.call(this, type, ...rest); }; }',
    );
    lab.endpoint.requests.length = 0;
    expect(
      await open.page.evaluate(
        '[fetch === originals[0], XMLHttpRequest.prototype.open === originals[1], history.pushState === originals[2], listened]',
      ),
    ).toEqual([true, true, true, []]);
    expect(lab.endpoint.requests).toEqual([]);
    await open.context.close();
  });
});
