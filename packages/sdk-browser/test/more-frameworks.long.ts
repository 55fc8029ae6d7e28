import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';
import { showBuiltPage } from './support/built-page.ts';
import { openPageLab, type PageLab } from './support/page-lab.ts';

/** Frameworks whose boundaries swallow errors, built for production, with the line that the README names. */

const INSTALL_MAX_MS = 300_000;

let lab: PageLab;
let folder: HostFolder;
beforeAll(async () => {
  folder = await installedFolder({ svelte: '5', 'solid-js': '1', preact: '10' });
  lab = await openPageLab();
}, INSTALL_MAX_MS);
afterAll(async () => {
  await lab?.close();
  await folder?.remove();
});

async function messages(name: string, source: string): Promise<unknown[]> {
  const { events } = await showBuiltPage(lab, folder, name, source);
  return events.map(({ message }) => message);
}

describe('what a boundary catches arrives', () => {
  it('from Svelte, by `onerror`', async () => {
    const compiler = createRequire(join(folder.path, 'package.json')).resolve('svelte/compiler');
    const { compile } = await import(pathToFileURL(compiler).href);
    const write = (file: string, source: string) =>
      folder.write(file, compile(source, { generate: 'client', dev: false }).js.code);
    write('Breaks.js', "<script>throw new TypeError('of svelte');</script>");
    write(
      'Boundary.js',
      `<script>import { captureException } from '@culprit/browser'; import Breaks from './Breaks.js';</script>
       <svelte:boundary onerror={captureException}><Breaks />{#snippet failed()}sorry{/snippet}</svelte:boundary>`,
    );
    expect(
      await messages(
        'svelte',
        `import { mount } from 'svelte'; import Boundary from './Boundary.js';
         mount(Boundary, { target: document.getElementById('app') });`,
      ),
    ).toEqual(['of svelte']);
  });

  it('from Solid, in `fallback`', async () => {
    expect(
      await messages(
        'solid',
        `import { createComponent, ErrorBoundary } from 'solid-js';
         import { render } from 'solid-js/web';
         import { captureException } from '@culprit/browser';
         const Breaks = () => { throw new TypeError('of solid'); };
         render(() => createComponent(ErrorBoundary, {
           fallback: (error) => { captureException(error); return 'sorry'; },
           get children() { return createComponent(Breaks, {}); },
         }), document.getElementById('app'));`,
      ),
    ).toEqual(['of solid']);
  });

  it('from Preact, in `componentDidCatch`', async () => {
    expect(
      await messages(
        'preact',
        `import { Component, h, render } from 'preact';
         import { captureException } from '@culprit/browser';
         class Boundary extends Component {
           state = {};
           componentDidCatch(error) { captureException(error); this.setState({ error }); }
           render() { return this.state.error ? 'sorry' : this.props.children; }
         }
         const Breaks = () => { throw new TypeError('of preact'); };
         render(h(Boundary, null, h(Breaks)), document.getElementById('app'));`,
      ),
    ).toEqual(['of preact']);
  });
});
