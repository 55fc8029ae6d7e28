import type { createFix as createEndpoint, Fix } from '@culprit/contract/incidents/incident-fixes';
import { FIXES_MAX } from '@culprit/contract/incidents/triage-words';
import { invalidPayload } from '../../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { newUuid, parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import type { Actor } from '../triage/change-triage.ts';
import { findNames } from '../triage/triage.queries.ts';
import { countFixes, holdRoom, insertFix, listFixRows, removeFix } from './notes.queries.ts';

/** The newest fixes of an incident and of those that were merged into it, newest first (docs/contract/team-workflow.md 5.2). */
export async function listFixes(
  { database }: Pick<Runtime, 'database'>,
  { recordId }: RecordAccess,
): Promise<Fix[]> {
  return (await listFixRows(database, recordId, FIXES_MAX)).map(({ fix }) => fix);
}

/** Returns the address in its stored form. @throws Problem `invalid_payload` */
function fixUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw invalidPayload('/url', 'must be an https address without credentials');
  return url.href;
}

/** Writes a proposed fix with its ledger row in one transaction; a repeat finds it. @throws Problem `resource_limit_reached` */
export async function createFix(
  { database }: Pick<Runtime, 'database'>,
  actor: Actor,
  {
    access: { projectId, recordId: incidentId },
    body,
    repeatId,
  }: Pick<ApiRequest<typeof createEndpoint>, 'access' | 'body' | 'repeatId'>,
): Promise<Fix> {
  const fixId = repeatId ?? newUuid();
  const url = fixUrl(body.url);
  const { resolves = false } = body;
  if (resolves && body.commit_sha === undefined && body.release === undefined)
    throw invalidPayload('/resolves', 'needs commit_sha or release');
  return await database.transaction(async (transaction) => {
    await holdRoom(transaction, 'fixes', incidentId);
    const before = repeatId === null ? [] : await listFixRows(transaction, incidentId, FIXES_MAX);
    const known = before.find(({ fix }) => fix.fix_id === repeatId);
    if (known !== undefined) return known.fix;
    if ((await countFixes(transaction, incidentId)) >= FIXES_MAX) throw new Problem('resource_limit_reached');
    await insertFix(transaction, {
      fixId,
      projectId,
      incidentId,
      actor,
      url,
      commitSha: body.commit_sha?.toLowerCase() ?? null,
      release: body.release?.trim() ?? null,
      summary: body.summary?.trim() ?? null,
      verification: body.verification ?? null,
      resolves,
    });
    const { userId, via } = actor;
    const author = (await findNames(transaction, [userId])).get(userId)?.name ?? null;
    const data = { user_id: userId, via, fix_id: fixId, author, text: url };
    insertLifecycleEvents(transaction, [{ projectId, incidentId, kind: 'incident.fix_proposed', data }]);
    const [newest] = await listFixRows(transaction, incidentId, 1);
    if (newest === undefined) throw new Error('a fix was not written');
    return newest.fix;
  });
}

/** Deletes a fix. @throws Problem `fix_not_found`, `forbidden` when it is another person's */
export async function deleteFix(
  { database }: Pick<Runtime, 'database'>,
  { userId }: Pick<Actor, 'userId'>,
  { projectId, recordId: incidentId, role }: RecordAccess,
  id: string,
): Promise<Fix> {
  const fixId = parseId([], id);
  return await database.transaction(async (transaction) => {
    const found = (await listFixRows(transaction, incidentId, FIXES_MAX)).find(
      ({ fix }) => fix.fix_id === fixId,
    );
    if (found === undefined) throw new Problem('fix_not_found');
    if (found.authorUserId !== userId && role === 'member') throw new Problem('forbidden');
    await removeFix(transaction, projectId, found.fix.fix_id);
    return found.fix;
  });
}
