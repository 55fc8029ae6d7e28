import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, EX_TITLE, FRONTEND, LOG, MINUTE, REQ, SECOND } from './incidents-fixtures.ts';

/** What stands around an incident without being an occurrence of it (docs/contract/incidents.md 3.3). */
describe.concurrent('the context of a bundle', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function loggedMessages(client: IncidentClient): Promise<string[]> {
    await client.refreshed();
    const incident = (await client.list()).find(({ title }) => title === EX_TITLE);
    const bundle = await client.bundle(incident?.incident_id ?? '');
    return bundle.context.logs?.items.map(({ message }) => message) ?? [];
  }

  it('holds the logs of the moment, error logs too, where neither side carries an id', async () => {
    const client = await connect(culprit);
    const at = (durationMs: number) => ({ timestamp: ago(durationMs) });
    await client.send(
      LOG('info', 'too early', at(5 * MINUTE)),
      LOG('info', 'a moment before', at(20 * SECOND)),
      LOG('error', 'it is about to fail', at(10 * SECOND)),
    );
    await client.send(EX(at(5 * SECOND)));
    expect(await loggedMessages(client)).toEqual(['a moment before', 'it is about to fail']);
  });

  describe('a failed call of a page', () => {
    const page = (id: string | null, environment = 'production') =>
      REQ({
        service: { name: 'checkout-web', environment, runtime: 'browser' },
        correlation: { request_id: id },
      });
    const server = (id: string) => ({ correlation: { request_id: id } });

    async function counts(client: IncidentClient) {
      await client.processed();
      const listed = await client.list();
      return listed.map(({ service_name, occurrence_count }) => [service_name, occurrence_count]).sort();
    }

    it('joins the incident of the server that reports the same request, and is no occurrence', async () => {
      const client = await connect(culprit);
      await client.send(EX(server('call-1')));
      await client.processed();
      await client.send(page('call-1'));
      expect(await counts(client)).toEqual([['checkout-api', 1]]);
      await client.send(EX(server('call-2')), page('call-2'));
      expect(await counts(client)).toEqual([['checkout-api', 2]]);
    });

    it('has its own incident where no server reports that request, or one of another environment', async () => {
      const client = await connect(culprit);
      await client.send(EX(server('call-3')));
      await client.processed();
      await client.send(page('call-4'), page(null), page('call-3', 'staging'));
      expect(await counts(client)).toEqual([
        ['checkout-api', 1],
        ['checkout-web', 1],
        ['checkout-web', 2],
      ]);
    });

    it('has its own incident where another page reports that request', async () => {
      const client = await connect(culprit);
      await client.send(page('call-5'));
      await client.processed();
      await client.send(page('call-5'));
      expect(await counts(client)).toEqual([['checkout-web', 2]]);
    });
  });

  describe('a failure of a page that has the digest of a failure of its server', () => {
    const context = (digest: string) => ({ context: { error: { digest } } });
    const page = (digest: string, environment = 'production') =>
      FRONTEND({ service: { name: 'checkout-web', environment, runtime: 'browser' }, ...context(digest) });
    const counts = async (client: IncidentClient) => {
      await client.processed();
      const listed = await client.list();
      return listed.map(({ service_name, occurrence_count }) => [service_name, occurrence_count]).sort();
    };

    it('joins the incident of the server, is no occurrence, and stands in its bundle', async () => {
      const client = await connect(culprit);
      await client.send(EX(context('3087629583')));
      await client.refreshed();
      await client.send(page('3087629583'));
      expect(await counts(client)).toEqual([['checkout-api', 1]]);
      await client.refreshed();
      const [incident] = await client.list();
      const bundle = await client.bundle(incident?.incident_id ?? '');
      expect(bundle.context.frontend?.exceptions.map(({ service }) => service)).toEqual(['checkout-web']);
      await client.send(page('3087629583'), EX(context('3087629583')));
      expect(await counts(client)).toEqual([['checkout-api', 2]]);
    });

    it('has its own incident where no server of its environment has that digest', async () => {
      const client = await connect(culprit);
      await client.send(EX(context('3087629583@E394')));
      await client.processed();
      await client.send(page('3087629584@E394'), page('3087629583@E394', 'staging'));
      expect(await counts(client)).toEqual([
        ['checkout-api', 1],
        ['checkout-web', 1],
        ['checkout-web', 1],
      ]);
    });
  });

  it('holds no logs of the moment when they belong to another trace', async () => {
    const client = await connect(culprit);
    await client.send(LOG('info', 'somebody else', { correlation: { trace_id: 't-other' } }));
    await client.send(EX());
    expect(await loggedMessages(client)).toEqual([]);
  });
});
