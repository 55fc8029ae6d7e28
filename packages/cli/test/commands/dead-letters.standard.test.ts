import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../../../server/test/support/culprit.ts';
import { newAddress } from '../../../server/test/support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

const UNKNOWN = ['999998', '999999'] as const;

let culprit: TestCulprit;
let signedIn: SignedIn;
beforeAll(async () => {
  const email = newAddress('operator');
  culprit = await startCulprit({ operators: { emails: [email] } });
  signedIn = await signIn(culprit, await culprit.createProject({ email }));
  await signedIn.fail('first');
  await signedIn.fail('second');
});
afterAll(async () => {
  signedIn?.home.remove();
  await culprit?.stop();
});

/** Parks a stored event, or an event of a batch that retention has deleted. @returns the id of the letter */
async function park(batch: 'stored' | 'deleted'): Promise<string> {
  const [row] = await culprit.database.query<{ id: number }>(
    {
      name: 'test-park-letter',
      text: `insert into dead_letters (project_id, batch_id, position, reason, attempts)
        select project_id, case when $1 then batch_id else gen_random_uuid() end, 0, 'cannot be read', 8
        from batches b where not exists (select from dead_letters d where d.batch_id = b.batch_id) limit 1
        returning dead_letter_id as id`,
    },
    [batch === 'stored'],
  );
  if (row === undefined) throw new Error('there is no batch');
  return String(row.id);
}

async function listed(): Promise<string[]> {
  const { code, out } = await signedIn.home.run(['operator', 'dead-letters', 'list', '-q']);
  expect(code).toBe(0);
  return out.split('\n').filter((line) => line !== '');
}

function retry(...ids: string[]) {
  return signedIn.home.run(['operator', 'dead-letters', 'retry', ...ids, '--yes']);
}

describe('dead letters', () => {
  it('are queued again once each, with exit 0 if all of them are, also when an id is repeated', async () => {
    const ids = [await park('stored'), await park('stored')];
    expect(await listed()).toEqual(ids);
    const { code, err } = await retry(...ids, ids[0] ?? '');
    expect({ code, err: err.trim() }).toEqual({ code: 0, err: '2 queued to be processed again.' });
    await culprit.drain();
    expect(await listed()).toEqual([]);
  });

  it('end with exit 7 if only some of the ids exist', async () => {
    const { code, err } = await retry(await park('stored'), ...UNKNOWN);
    expect({ code, err: err.trim() }).toEqual({ code: 7, err: '1 queued to be processed again.' });
    await culprit.drain();
    expect(await listed()).toEqual([]);
  });

  it('end with exit 3 if no id exists, or their batches no longer do, also as JSON', async () => {
    const letter = await park('deleted');
    const ids = [...UNKNOWN, letter];
    const { code, err } = await retry(...ids);
    expect({ code, err: err.trim() }).toEqual({
      code: 3,
      err: 'No dead letter has such an id, or its batch no longer exists.',
    });
    const asJson = await retry(...ids, '--json');
    expect({ code: asJson.code, body: JSON.parse(asJson.out) }).toEqual({ code: 3, body: { retried: 0 } });
    expect(await listed()).toEqual([letter]);
  });

  it('refuse an id that is no number with exit 2, before any is queued', async () => {
    const letter = await park('stored');
    expect(await retry(letter, 'x1')).toMatchObject({ code: 2 });
    expect(await listed()).toContain(letter);
  });
});
