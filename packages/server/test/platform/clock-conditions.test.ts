import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetFuturePlans } from '../../src/notify/reports/due-reports.queries.ts';
import { type Database, openDatabase, type Queryable } from '../../src/platform/db/database.ts';
import { ACCOUNT_DATA_TABLES } from '../../src/workspace/account-data/account-data.tables.ts';
import { ACCOUNT_TABLES } from '../../src/workspace/accounts/accounts.tables.ts';
import { insertCliSignIn } from '../../src/workspace/accounts/cli-sign-in/cli-sign-ins.queries.ts';
import { insertDeviceRequest } from '../../src/workspace/accounts/github/device-requests.queries.ts';
import { insertProviderSignIn } from '../../src/workspace/accounts/provider-sign-ins.queries.ts';
import { MEMBER_TABLES } from '../../src/workspace/members/members.tables.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { plansOf } from '../support/plans-of.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** A clock that is asked for each row keeps an index from being used: conditions by time ask it once. */

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), connectionsMax: 2, applicationName: 'test' });
});
afterAll(() => database.close());

describe('a condition by the clock', () => {
  it.each<[where: string, indexes: string[], work: (queryable: Queryable) => Promise<unknown>]>([
    [
      'what sign-ins leave',
      [
        'sign_in_rates_started',
        'sign_in_codes_kept',
        'sign_in_mails_sent',
        'sessions_expiry',
        'oidc_logouts_expiry',
      ],
      (queryable) => deleteExpiredRows(queryable, ACCOUNT_TABLES),
    ],
    [
      'what invites leave',
      ['project_invites_final', 'account_deletion_codes_expiry'],
      (queryable) => deleteExpiredRows(queryable, [...MEMBER_TABLES, ...ACCOUNT_DATA_TABLES]),
    ],
    [
      'plans of reports from before the clock was set back',
      ['weekly_report_channels_planned'],
      (queryable) => resetFuturePlans(queryable, 10),
    ],
    [
      'sign-ins with a provider that are over',
      ['provider_sign_ins_expiry'],
      (queryable) =>
        insertProviderSignIn(queryable, { method: 'oidc', stateHash: randomBytes(32), returnTo: '/' }),
    ],
    [
      'sign-ins of programs that are over',
      ['cli_sign_ins_expiry'],
      (queryable) =>
        insertCliSignIn(queryable, {
          requestHash: randomBytes(32),
          userCodeHash: randomBytes(32),
          label: 'a program',
          addressClass: 'loopback_ipv4',
        }),
    ],
    [
      'device requests that are over',
      ['device_requests_expiry', 'device_requests_codes'],
      (queryable) =>
        insertDeviceRequest(queryable, {
          requestHash: randomBytes(32),
          sealedDeviceCode: randomBytes(32),
          intervalSeconds: 5,
          expiresInSeconds: 900,
        }),
    ],
  ])('finds %s by the index', async (_, indexes, work) => {
    const plans = await plansOf(database, work);
    const bounded = indexes.filter((index) =>
      new RegExp(`Index Scan (?:using|on) ${index}\\b.*\\n *Index Cond: .* [<>]`).test(plans),
    );
    expect(bounded).toEqual(indexes);
  });
});
