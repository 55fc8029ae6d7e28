import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderBelowHosts, type HostFolder } from '../../sdk-test-hosts/hosts.ts';
import { showBuiltPage } from './support/built-page.ts';
import { openPageLab, type PageLab } from './support/page-lab.ts';

/** Frameworks of pages that catch errors themselves, built for production, with the line that the README names. */

const INSTALL_MAX_MS = 300_000;

let lab: PageLab;
let folder: HostFolder;
beforeAll(async () => {
  lab = await openPageLab();
  folder = await folderBelowHosts();
}, INSTALL_MAX_MS);
afterAll(async () => {
  await lab.close();
  await folder.remove();
});

const broken = (name: string, source: string) => showBuiltPage(lab, folder, name, source);

describe('a production build', () => {
  it('of React: what a boundary catches, and what none does, once each', async () => {
    const { events, printed } = await broken(
      'react',
      `import { Component, createElement as h } from 'react';
       import { createRoot } from 'react-dom/client';
       import { reactErrorHandler } from '@culprit/browser/frameworks';
       class Boundary extends Component {
         state = { failed: false };
         static getDerivedStateFromError() { return { failed: true }; }
         render() { return this.state.failed ? 'sorry' : this.props.children; }
       }
       const Breaks = ({ text }) => { throw new TypeError(text); };
       const show = (element) => createRoot(document.getElementById('app').appendChild(document.createElement('p')), { onCaughtError: reactErrorHandler }).render(element);
       show(h(Boundary, null, h(Breaks, { text: 'caught' })));
       show(h(Breaks, { text: 'uncaught' }));`,
    );
    expect(events.map(({ message }) => message).sort()).toEqual(['caught', 'uncaught']);
    const caught = events.find(({ message }) => message === 'caught');
    expect(caught).toMatchObject({
      handled: false,
      context: { react: { componentStack: expect.stringMatching(/\S/) } },
    });
    expect(printed.join('\n')).toContain('caught');
  });

  it('of React Router: what its provider passes on, but no answer below 500 that a route throws', async () => {
    const { events } = await broken(
      'react-router',
      `import { reactErrorHandler } from '@culprit/browser/frameworks';
       const place = { location: { pathname: '/orders/7' }, params: { id: '7' }, pattern: '/orders/:id' };
       reactErrorHandler(new TypeError('of a loader'), place);
       reactErrorHandler(new TypeError('of a render'), { ...place, errorInfo: { componentStack: 'at Orders' } });
       reactErrorHandler({ status: 404, statusText: 'Not Found', internal: true, data: 'no order' }, place);
       reactErrorHandler({ status: 500, statusText: '', internal: false, data: null }, place);`,
    );
    expect(events.map(({ message }) => message)).toEqual([
      'of a loader',
      'of a render',
      expect.stringContaining('500'),
    ]);
    expect(events[1]?.context).toMatchObject({ react: { componentStack: 'at Orders' } });
  });

  it('of Vue: what setup, a render and a listener throw', async () => {
    const { events } = await broken(
      'vue',
      `import { createApp, h, onMounted } from 'vue';
       import { vueErrorHandler } from '@culprit/browser/frameworks';
       const app = createApp({
         setup() {
           onMounted(() => { throw new TypeError('mounted'); });
           return () => h('button', { id: 'b', onClick: () => { throw new TypeError('clicked'); } }, 'x');
         },
       });
       app.config.errorHandler = vueErrorHandler;
       app.mount('#app');
       document.getElementById('b').click();`,
    );
    expect(events.map(({ message }) => message)).toEqual(['mounted', 'clicked']);
    expect(events[0]).toMatchObject({ context: { vue: { info: expect.any(String) } } });
  });

  it('of Angular: what its handler of errors is given, a wrapped rejection as the Error inside', async () => {
    const { events } = await broken(
      'angular',
      `import { angularErrorHandler } from '@culprit/browser/frameworks';
       const inner = new TypeError('inside');
       angularErrorHandler.handleError(Object.assign(new Error('Uncaught (in promise)'), { rejection: inner }));
       angularErrorHandler.handleError(new RangeError('plain'));
       angularErrorHandler.handleError(null);`,
    );
    expect(events.map(({ message }) => message)).toEqual(['inside', 'plain', 'null']);
  });
});
