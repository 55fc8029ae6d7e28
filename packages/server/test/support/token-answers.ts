import type { TestCulprit } from './culprit.ts';

/** The `token` of an answer; throws for every other body. */
export function tokenIn(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || !('token' in body)) throw new Error('no token');
  const { token } = body;
  if (typeof token !== 'object' || token === null) throw new Error('no token');
  return { ...token };
}

/** What the audit rows say that was done to a token. */
export async function auditOfToken(culprit: TestCulprit, tokenId: string): Promise<object[]> {
  return await culprit.database.query(
    {
      name: 'test-audit-token',
      text: `select action, actor_user_id, project_id, address_class, data from audit_log
        where subject = $1 order by audit_id`,
    },
    [`token:${tokenId}`],
  );
}
