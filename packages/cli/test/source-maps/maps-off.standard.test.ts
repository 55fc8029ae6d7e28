import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { uploadMaps } from '../../../server/test/support/map-client.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { wordMap } from './built.ts';

/** docs/contract/source-maps.md 12: a server with `CULPRIT_SOURCE_MAPS=off`. */

let culprit: TestCulprit;
let signedIn: SignedIn;
beforeAll(async () => {
  culprit = await startCulprit({ maps: { isOn: false }, duties: ['events', 'bundles'] });
  signedIn = await signIn(culprit);
}, 180_000);
afterAll(async () => {
  signedIn.home.remove();
  await culprit.stop();
});

it('answers no endpoint of maps, ends the command with 9, and leaves stacks unchanged', async () => {
  const client = await connect(culprit);
  const base = `/v1/projects/${client.project.projectId}/source-maps`;
  for (const path of ['', '/uploads', '/missing', `/uploads/${crypto.randomUUID()}`]) {
    expect(await client.get(base + path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  }
  expect(await client.post(`${base}/explain`, { file: 'a.js', line: 1, column: 1 })).toMatchObject({
    ...{ status: 404, body: { error: 'not_found' } },
  });
  await expect(
    uploadMaps(culprit, client.project, [{ path: 'a.js', code: 'a', map: '{}' }], 'shop@1'),
  ).rejects.toThrow('not_found');
  const server = await fetch(`${culprit.url}/v1/server`);
  expect(JSON.stringify(await server.json())).not.toContain('"source_maps"');

  const script = 'function total(cart) { return cart.items.length; }\n';
  signedIn.home.write(join('off', 'dist/a.js'), `${script}//# sourceMappingURL=a.js.map\n`);
  signedIn.home.write(join('off', 'dist/a.js.map'), JSON.stringify(wordMap(script)));
  const { code, err } = await signedIn.home.run(['sourcemaps', 'upload', 'dist'], { directory: 'off' });
  expect([code, err]).toEqual([9, expect.stringContaining('source maps')]);

  await client.send({
    ...{ event_type: 'frontend_exception', timestamp: new Date().toISOString() },
    ...{
      service: { name: 'shop-web', environment: 'production' },
      sdk: { name: 'custom', version: '1.0.0' },
    },
    context: { release: 'shop@1' },
    payload: {
      ...{
        name: 'TypeError',
        message: 'no price',
        stack: 'TypeError: no price\n    at e (https://shop.example/a.js:1:734)',
      },
      debug_ids: { 'https://shop.example/a.js': crypto.randomUUID() },
    },
  });
  const incident = await client.only();
  expect(incident.symbolication).toBeNull();
  const { context } = await client.bundle(incident.incident_id);
  expect(context.symbolication).toBeUndefined();
  expect(context.stack?.frames[0]).toMatchObject({ file: '/a.js', line: 1, column: 734 });
  expect(context.stack?.frames[0]).not.toHaveProperty('map');
});
