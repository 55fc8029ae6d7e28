// Proves 41.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { authenticateSession } from '../../src/workspace/accounts/authenticate-session.ts';
import { isSameHash } from '../../src/workspace/accounts/mailed-code.ts';
import { csrfToken, hasCsrfToken } from '../../src/workspace/accounts/session-secrets.ts';
import { authenticateMember } from '../../src/workspace/tokens/authenticate-member.ts';
import { authenticateProject } from '../../src/workspace/tokens/authenticate-project.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { createTenant, openSession, type Tenant } from './tenant.ts';
import { leastDifference, T_MAX, timingDifference } from './timing-difference.ts';

/**
 * docs/contract/reliability.md test 41, of the long lane (`npm run test:long`): how long a wrong secret takes does not
 * tell how much of it is right. Each comparison is given secrets that are wrong in their first and in their last
 * character.
 */

const SEED = chooseSeed();
const CALLS_PER_SAMPLE = 200;
const SAMPLES = 20_000;
const SAMPLES_WITH_DATABASE = 10_000;
const ATTEMPTS = 4;

/** The text with one character changed, at its beginning or its end. */
function wrongAt(text: string, place: 'start' | 'end', skipped: string): string {
  const at = place === 'start' ? skipped.length : text.length - 1;
  const other = text[at] === 'A' ? 'B' : 'A';
  return text.slice(0, at) + other + text.slice(at + 1);
}

function bytesWrongAt(bytes: Buffer, index: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
}

function repeat(call: () => boolean): () => void {
  return () => {
    for (let i = 0; i < CALLS_PER_SAMPLE; i += 1) if (call()) throw new Error('a wrong secret is right');
  };
}

async function differenceOf(
  classes: readonly [() => unknown, () => unknown],
  samples: number,
): Promise<number> {
  const random = seededRandom(SEED);
  // The first calls are those of an engine that does not know the function yet.
  await timingDifference(random, classes, samples / 10);
  return await leastDifference(() => timingDifference(random, classes, samples), ATTEMPTS);
}

describe(`the time a wrong secret takes, seed ${SEED}`, { timeout: 600_000 }, () => {
  it('would be found out: a comparison that stops at the first difference', async () => {
    const secret = randomBytes(32);
    const equals = (given: Buffer): boolean => {
      for (let i = 0; i < secret.length; i += 1) if (secret[i] !== given[i]) return false;
      return true;
    };
    const [early, late] = [bytesWrongAt(secret, 0), bytesWrongAt(secret, 31)];
    const classes = [repeat(() => equals(early)), repeat(() => equals(late))] as const;
    expect(await differenceOf(classes, SAMPLES)).toBeGreaterThan(T_MAX);
  });

  it('is the same for CSRF tokens', async () => {
    const key = new Secret(randomBytes(32));
    const sessionId = newUuid();
    const token = csrfToken(key, sessionId);
    const [early, late] = [
      { 'x-csrf-token': wrongAt(token, 'start', '') },
      { 'x-csrf-token': wrongAt(token, 'end', '') },
    ];
    const classes = [
      repeat(() => hasCsrfToken(key, sessionId, early)),
      repeat(() => hasCsrfToken(key, sessionId, late)),
    ] as const;
    expect(await differenceOf(classes, SAMPLES / 10)).toBeLessThan(T_MAX);
  });

  it('is the same for the stored hashes of codes', async () => {
    const stored = randomBytes(32);
    // In the same place, because the time to read two of them differs with where they lie in memory.
    const given = Buffer.alloc(stored.length);
    const compare = repeat(() => isSameHash(stored, given));
    const comparing = (wrong: Buffer) => () => {
      wrong.copy(given);
      compare();
    };
    const classes = [comparing(bytesWrongAt(stored, 0)), comparing(bytesWrongAt(stored, 31))] as const;
    expect(await differenceOf(classes, SAMPLES)).toBeLessThan(T_MAX);
  });

  describe('with a database', () => {
    let culprit: TestCulprit;
    let tenant: Tenant;
    beforeAll(async () => {
      culprit = await startCulprit({ hasWorker: false, plans: HOSTED });
      tenant = await createTenant(culprit, 'timed');
    });
    afterAll(() => culprit?.stop());

    it('is the same for member tokens', async () => {
      const { memberToken } = tenant.owner;
      const look = (place: 'start' | 'end') => {
        const authorization = `Bearer ${wrongAt(memberToken, place, 'svc_mem_')}`;
        return () => authenticateMember(culprit.database, { authorization }, null);
      };
      expect(await differenceOf([look('start'), look('end')], SAMPLES_WITH_DATABASE)).toBeLessThan(T_MAX);
    });

    it('is the same for project tokens', async () => {
      const { projectToken } = tenant.project;
      const look = (place: 'start' | 'end') => {
        const authorization = `Bearer ${wrongAt(projectToken, place, 'svc_proj_')}`;
        return () => authenticateProject(culprit.database, HOSTED, { authorization });
      };
      expect(await differenceOf([look('start'), look('end')], SAMPLES_WITH_DATABASE)).toBeLessThan(T_MAX);
    });

    it('is the same for session cookies', async () => {
      const { cookie } = await openSession(culprit, tenant.owner, tenant.organizationId);
      const look = (place: 'start' | 'end') => {
        const headers = { cookie: wrongAt(cookie, place, 'svc_session=') };
        return () => authenticateSession(culprit.database, headers);
      };
      expect(await differenceOf([look('start'), look('end')], SAMPLES_WITH_DATABASE)).toBeLessThan(T_MAX);
    });
  });
});
