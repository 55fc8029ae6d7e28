import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wakeSnoozed } from '../../src/pipeline/incidents/triage/wake-snoozed.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { createSession } from '../../src/workspace/accounts/create-session.ts';
import type { OidcIdentity } from '../../src/workspace/accounts/oidc/oidc-identity.ts';
import { signInOidcPerson } from '../../src/workspace/accounts/oidc/sign-in-oidc-person.ts';
import {
  consumeProviderSignIn,
  insertProviderSignIn,
} from '../../src/workspace/accounts/provider-sign-ins.queries.ts';
import { syncGroupsAndTeams } from '../../src/workspace/teams/sync-team-groups.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { oidcSettingsFor } from '../support/oidc-client.ts';
import { newAddress } from '../support/people.ts';
import { planDeathAt } from './fault-plan.ts';
import { faultyDatabase } from './faulty-database.ts';

/** Work of one process that ends at each of its steps in turn, before and after the step had its effect. */

const STEPS_MAX = 60;
const ISSUER = 'https://id.example.test';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit?.stop());

/** Lives that die at their first step, their second and so on, until one survives. Gives how many died. */
async function liveUntilDone(
  mode: 'dies' | 'dies-late',
  live: (database: Database) => Promise<unknown>,
  afterDeath: () => Promise<void>,
): Promise<number> {
  for (let step = 1; step <= STEPS_MAX; step += 1) {
    const guard = planDeathAt(step, mode);
    try {
      await live(faultyDatabase(culprit.database, guard));
      return step - 1;
    } catch (error) {
      if (!guard.isDead()) throw error;
      await afterDeath();
    }
  }
  throw new Error('no life survived');
}

describe.each(['dies', 'dies-late'] as const)('a process that %s at any step', (mode) => {
  it('ends a snooze whole or not at all, and once', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    await client.post(`/v1/incidents/${id}/snooze`, {
      until: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await culprit.stopWorker();
    await culprit.database.query(
      {
        name: 'test-over',
        text: 'update incidents set snoozed_until = culprit_now() where incident_id = $1',
      },
      [parseId(['inc'], id)],
    );
    const state = async () => {
      const isAsleep = (await client.read(id)).triage.snooze !== null;
      return { isAsleep, woke: (await client.ledger('incident.woke')).length };
    };
    const deaths = await liveUntilDone(mode, wakeSnoozed, async () =>
      expect([
        { isAsleep: true, woke: 0 },
        { isAsleep: false, woke: 1 },
      ]).toContainEqual(await state()),
    );
    expect(deaths).toBeGreaterThan(3);
    expect(await state()).toEqual({ isAsleep: false, woke: 1 });
    await culprit.startWorker();
  });

  it('signs a person in whole or not at all, and once with one state', async () => {
    const email = newAddress('person');
    const identity: OidcIdentity = { issuer: ISSUER, subject: email, email, groups: [], sid: null };
    const oidc = oidcSettingsFor({ issuer: ISSUER, clientId: 'culprit', clientSecret: 'secret' });
    const rules = { oidc, signIn: culprit.signInSettings, plans: SELF_HOSTED };
    const hash = (n: number) => createHash('sha256').update(`${email} ${n}`).digest();
    const made = async () => {
      const [row] = await culprit.database.query<{ rows: unknown }>(
        {
          name: 'test-made',
          text: `select json_build_array((select count(*) from users where email = $1),
            (select count(*) from oidc_identities where subject = $1),
            (select count(*) from sessions join users using (user_id) where email = $1)) as rows`,
        },
        [email],
      );
      return row?.rows;
    };
    let states = 0;
    await insertProviderSignIn(culprit.database, { method: 'oidc', stateHash: hash(0), returnTo: '/' });
    const deaths = await liveUntilDone(
      mode,
      async (database) => {
        // A state that a dead process consumed is worth nothing: the person begins again.
        const known = await consumeProviderSignIn(database, 'oidc', hash(states));
        if (known === null) throw new Error('the state is gone');
        await database.transaction(async (transaction) => {
          const person = await signInOidcPerson(transaction, rules, identity);
          await syncGroupsAndTeams(transaction, { userId: person.userId, groups: identity.groups });
          await createSession(transaction, { ...person, presentedCookie: null });
        });
      },
      async () => {
        expect([
          [0, 0, 0],
          [1, 1, 1],
        ]).toContainEqual(await made());
        states += 1;
        await insertProviderSignIn(culprit.database, {
          method: 'oidc',
          stateHash: hash(states),
          returnTo: '/',
        });
      },
    );
    expect(deaths).toBeGreaterThan(8);
    // The process that died after its commit had signed the person in.
    expect(await made()).toEqual([1, 1, mode === 'dies' ? 1 : 2]);
  });
});
