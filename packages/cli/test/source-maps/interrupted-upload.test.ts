import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { wordMap } from './built.ts';

/** docs/contract/source-maps.md 7.2, items 2 and 36 of its checklist: an upload that ends in its middle, and its repetition. */

const FILES = ['cart', 'order', 'price', 'shop'];
const PARTS = FILES.length * 2;
const PASSED = PARTS / 2;

let culprit: TestCulprit;
let signedIn: SignedIn;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
}, 180_000);
afterAll(() => signedIn.home.remove());

/** Stands before the service and lets that many parts through; those behind them hang. */
async function startGate(passes: number) {
  const parts: string[] = [];
  let held = 0;
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '', headers } = incoming;
    const body = await buffer(incoming);
    if (method === 'PUT' && parts.push(url) > passes) {
      parts.pop();
      held += 1;
      return;
    }
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const answer = await fetch(culprit.url + url, {
      method,
      headers: { authorization, 'content-type': type },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    parts,
    held: () => held,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('culprit sourcemaps upload', { timeout: 120_000 }, () => {
  it('that was killed after half of the parts sends the others alone when it is repeated', async () => {
    for (const name of FILES) {
      const script = `function computeTotal(cart) { return cart.items.length; }\nglobalThis.${name} = computeTotal;\n`;
      signedIn.home.write(`dist/${name}.js`, `${script}//# sourceMappingURL=${name}.js.map\n`);
      signedIn.home.write(
        `dist/${name}.js.map`,
        JSON.stringify(wordMap(script, { sources: [`src/${name}.ts`] })),
      );
    }
    const start = (url: string) =>
      signedIn.home.start(['sourcemaps', 'upload', 'dist', '--json'], {
        input: '',
        environment: {
          CULPRIT_URL: url,
          CULPRIT_TOKEN: signedIn.project.memberToken,
          CULPRIT_PROJECT: signedIn.project.projectId,
        },
      });
    const gate = await startGate(PASSED);
    const killed = start(gate.url);
    await eventually(() => {
      expect(gate.parts).toHaveLength(PASSED);
      expect(gate.held()).toBeGreaterThan(0);
    });
    killed.kill('SIGKILL');
    expect((await killed.ended).code).toBe('SIGKILL');
    gate.close();

    const open = await startGate(PARTS);
    const { code, out } = await start(open.url).ended;
    open.close();
    expect(code).toBe(0);
    expect(JSON.parse(out).files.map(({ verdict }: { verdict: string }) => verdict)).toEqual(
      FILES.map(() => 'ready'),
    );
    expect(open.parts).toHaveLength(PARTS - PASSED);
    expect(open.parts.filter((part) => gate.parts.includes(part))).toEqual([]);
    // It was one upload.
    expect(await signedIn.home.json(['sourcemaps', 'uploads'])).toMatchObject({
      uploads: [{ state: 'done', counts: { ready: FILES.length } }],
    });
  });
});
