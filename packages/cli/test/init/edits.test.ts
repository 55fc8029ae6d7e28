import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Application } from '../../src/init/application.ts';
import { dependenciesOf, installedLibrary } from '../../src/init/libraries.ts';
import { planFiles } from '../../src/init/plan.ts';

/** What `culprit init` changes in the entry files of starters, by the setup files of the libraries. */

const LIBRARIES = join(import.meta.dirname, '../../..');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-edits-'));
  for (const name of ['node', 'browser']) {
    const place = join(folder, 'node_modules/@culprit', name);
    mkdirSync(place, { recursive: true });
    for (const file of ['package.json', 'culprit-setup.json']) {
      cpSync(join(LIBRARIES, `sdk-${name}`, file), join(place, file));
    }
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function plan(framework: string, dependencies: Record<string, string>, sources: Record<string, string>) {
  const manifest = { name: "it's a shop", dependencies };
  for (const [name, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const application: Application = {
    ...{ directory: folder, manifest, dependencies: dependenciesOf(manifest) },
    ...{ service: "it's a shop", isServiceKnown: true, isWorkspaceRoot: false },
  };
  const chosen = ['@culprit/node', '@culprit/browser'].flatMap((name) => {
    const library = installedLibrary(folder, name);
    const setup = library?.frameworks.find((each) => each.name === framework);
    return library === null || setup === undefined ? [] : [{ setup, library }];
  });
  expect(chosen).toHaveLength(1);
  const { files, remarks } = planFiles(application, chosen, {
    server: { origin: 'https://culprit.example', projectId: 'prj_1' },
    ...{ tokens: {}, service: null, environment: null, entry: null, agent: null },
  });
  return { remarks, textOf: (path: string) => files.find((file) => file.path === path)?.after ?? null };
}

describe('Express before 5.3', () => {
  const OLD = { express: '~4.16.1' };

  it('gets its error handler before the one of the application, and the second run changes nothing', () => {
    const source = `var express = require('express');
var app = express();
app.use('/', indexRouter);

// error handler
app.use(function(err, req, res, next) {
  res.status(err.status || 500);
});

module.exports = app;
`;
    const { remarks, textOf } = plan('express', OLD, { 'app.js': source });
    expect(remarks).toEqual([]);
    const changed = textOf('app.js') ?? '';
    expect(changed).toBe(`const { errorHandler } = require('@culprit/node/express');
require('@culprit/node/register');
${source.replace('// error handler\n', 'app.use(errorHandler());\n\n// error handler\n')}`);
    expect(plan('express', OLD, { 'app.js': changed }).textOf('app.js')).toBe(changed);
  });

  it.each([
    ['const server = app.listen(3000, () => {});\n', 'before it listens'],
    ['export default app;\n', 'before it is exported'],
  ])('gets it before %j: %s', (last) => {
    const source = `import express from 'express';\nconst app = express();\n${last}`;
    const { textOf } = plan('express', OLD, { 'app.mjs': source });
    expect(textOf('app.mjs')).toContain(`app.use(errorHandler());\n\n${last}`);
  });

  it('is told in a remark where there is no place, and 5.3 needs nothing', () => {
    const sources = { 'app.js': "const routes = require('./routes');\n" };
    expect(plan('express', OLD, sources).remarks).toEqual([expect.stringContaining('errorHandler')]);
    const { remarks, textOf } = plan('express', { express: '^5.3.0' }, sources);
    expect(remarks).toEqual([]);
    expect(textOf('app.js')).not.toContain('errorHandler');
  });
});

it('NestJS gets the module in its starter', () => {
  const { remarks, textOf } = plan(
    'nestjs',
    { '@nestjs/core': '^12.0.0' },
    {
      'src/main.ts': "import { NestFactory } from '@nestjs/core';\n",
      'src/app.module.ts':
        "import { Module } from '@nestjs/common';\n@Module({\n  imports: [],\n})\nexport class AppModule {}\n",
    },
  );
  expect(remarks).toEqual([]);
  expect(textOf('src/main.ts')).toMatch(/^import '@culprit\/node\/register';/);
  expect(textOf('src/app.module.ts')).toContain('imports: [culpritModule()],');
});

describe('starters of Vite', () => {
  const templates = join(LIBRARIES, 'sdk-test-hosts/node_modules/create-vite');
  const read = (path: string, otherwise: string) => {
    try {
      return readFileSync(join(templates, path), 'utf8');
    } catch {
      return otherwise;
    }
  };

  it('React passes what boundaries catch, and the page has the name of the application', () => {
    const source = read(
      'template-react-ts/src/main.tsx',
      "import { createRoot } from 'react-dom/client'\ncreateRoot(document.getElementById('root')!).render(<App />)\n",
    );
    const { remarks, textOf } = plan('react', { 'react-dom': '19', vite: '8' }, { 'src/main.tsx': source });
    expect(remarks).toEqual([]);
    expect(textOf('src/main.tsx')).toContain(
      "createRoot(document.getElementById('root')!, { onCaughtError: reactErrorHandler })",
    );
    expect(textOf('src/culprit.js')).toContain("service: 'it\\'s a shop'");
  });

  it('React Router passes what fails in a page, and an entry of the application stays unchanged', () => {
    const dependencies = { '@react-router/dev': '8', 'react-dom': '19', vite: '8' };
    const { remarks, textOf } = plan('react-router', dependencies, {});
    expect(remarks).toEqual([]);
    expect(textOf('app/entry.client.jsx')).toContain('<HydratedRouter onError={reactErrorHandler} />');
    const own = 'hydrateRoot(document, <HydratedRouter />);\n';
    const again = plan('react-router', dependencies, { 'app/entry.client.tsx': own });
    expect(again.textOf('app/entry.client.jsx')).toBeNull();
    expect(again.remarks).toEqual([expect.stringContaining('app/entry.client.tsx already exists')]);
  });

  it('Vue passes what components throw', () => {
    const source = read(
      'template-vue/src/main.js',
      "import { createApp } from 'vue'\nimport App from './App.vue'\ncreateApp(App).mount('#app')\n",
    );
    const { remarks, textOf } = plan('vue', { vue: '3', vite: '8' }, { 'src/main.js': source });
    expect(remarks).toEqual([]);
    expect(textOf('src/main.js')).toContain(
      "const app = createApp(App);\napp.config.errorHandler = vueErrorHandler;\napp.mount('#app');",
    );
  });
});
