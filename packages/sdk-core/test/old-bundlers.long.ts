import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';

/** Bundlers that read no exports map and no syntax of today, on the packed libraries. */

const INSTALL_MAX_MS = 300_000;
/** webpack 4 is slow, and more so on a busy machine. */
const BUILD_MAX_MS = 300_000;

let host: HostFolder;
beforeAll(async () => {
  host = await installedFolder({ webpack: '4.47.0', browserify: '17.0.1' });
  host.write(
    'page.cjs',
    `var culprit = require('@culprit/browser');
     var frameworks = require('@culprit/browser/frameworks');
     var errors = require('@culprit/browser/errors');
     var integrations = require('@culprit/browser/integrations');
     var core = require('@culprit/core');
     globalThis.found = [culprit.init, culprit.captureException, frameworks.reactErrorHandler, errors.init, integrations.captureRules].map(function (each) { return typeof each; }).concat(Object.keys(core).length > 0);`,
  );
  host.write(
    'module.js',
    `import { captureException, init } from '@culprit/browser';
     import { vueErrorHandler } from '@culprit/browser/frameworks';
     globalThis.found = [typeof init, typeof captureException, typeof vueErrorHandler];`,
  );
}, INSTALL_MAX_MS);
afterAll(() => host?.remove());

async function built(source: string): Promise<string> {
  const file = host.write('build.cjs', source);
  // The hash that webpack 4 asks for is none of OpenSSL 3's own.
  const env = { ...process.env, NODE_OPTIONS: '--openssl-legacy-provider' };
  await promisify(execFile)(process.execPath, [file], { cwd: host.path, env });
  const output = join(host.path, 'out/bundle.js');
  expect(existsSync(output)).toBe(true);
  return readFileSync(output, 'utf8');
}

const webpack = (entry: string) => `
require('webpack')({ mode: 'production', entry: './${entry}', output: { path: __dirname + '/out', filename: 'bundle.js' } }, (error, stats) => {
  if (error || stats.hasErrors() || stats.hasWarnings()) throw new Error(error ? error.message : stats.toString({ all: false, errors: true, warnings: true }));
});`;

/** What a bundle finds when it runs. */
function found(code: string): unknown {
  const context = createContext({ console, URL, setTimeout, clearTimeout });
  Object.assign(context, { window: context, self: context });
  runInContext(code, context);
  return Object(context).found;
}

describe('webpack 4', () => {
  it(
    'bundles every entry for a page, by require and by import, without a warning',
    async () => {
      const page = found(await built(webpack('page.cjs')));
      expect(page).toEqual([...Array(5).fill('function'), true]);
      const module = found(await built(webpack('module.js')));
      expect(module).toEqual(Array(3).fill('function'));
    },
    BUILD_MAX_MS,
  );
});

describe('browserify', () => {
  it(
    'bundles every entry for a page',
    async () => {
      const code = await built(`
      const { createWriteStream, mkdirSync } = require('node:fs');
      mkdirSync('out', { recursive: true });
      require('browserify')('./page.cjs').bundle().on('error', (error) => { throw error; }).pipe(createWriteStream('out/bundle.js'));`);
      expect(found(code)).toEqual([...Array(5).fill('function'), true]);
    },
    BUILD_MAX_MS,
  );
});
