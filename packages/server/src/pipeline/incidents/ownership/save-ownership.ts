import { type OwnerLine, readOwnership } from '@culprit/contract/workspace/owner-lines';
import type { saveOwnership as endpoint, Ownership } from '@culprit/contract/workspace/ownership';
import { invalidPayload } from '../../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { recordAudit } from '../../../workspace/audit/record-audit.ts';
import { replaceOwnership } from './ownership.queries.ts';
import { describeOwnership } from './try-ownership.ts';

/** The lines of a text. @throws Problem `invalid_payload` with the line that cannot be read */
export function checkOwnership({ body }: { body: { text: string } }): OwnerLine[] {
  const { lines, fault } = readOwnership(body.text);
  if (fault !== null) throw invalidPayload('/text', `line ${fault.line}: ${fault.words}`);
  return lines;
}

/** Replaces the text of a project (docs/contract/team-workflow.md 2.3). @throws Problem `version_conflict` */
export async function saveOwnership(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint, OwnerLine[]>,
): Promise<Ownership> {
  const { access, caller, body, checked: lines } = request;
  const { projectId, organizationId } = access;
  const isSaved = await database.transaction((transaction) =>
    replaceOwnership(transaction, {
      projectId,
      version: body.version,
      text: body.text,
      userId: caller.userId,
    }),
  );
  if (!isSaved) throw new Problem('version_conflict');
  await recordAudit(database, request, {
    action: 'ownership.saved',
    actorUserId: caller.userId,
    organizationId,
    projectId,
    subject: `project:${projectId}`,
    data: { lines: lines.length, version: body.version + 1 },
  });
  return await describeOwnership(database, projectId);
}
