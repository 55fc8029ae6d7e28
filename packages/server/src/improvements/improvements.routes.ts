import * as improvements from '@culprit/contract/improvements';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import { RawJson } from '../platform/http/raw-json.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { changeImprovement, readSnoozeTime } from './change-improvement.ts';
import { readImprovementSettings, updateImprovementSettings } from './improvement-settings.ts';
import { listImprovements } from './list-improvements.ts';
import { readImprovementBundle } from './read-improvement-bundle.ts';
import { requireImprovement } from './require-improvement.ts';

export interface ImprovementsRoom {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
}

/** Improvements, their bundles, and how a project looks for them. */
export function bindImprovementRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  room: ImprovementsRoom,
): void {
  binder.bind(improvements.listImprovements).to(async ({ caller, query }) => ({
    status: 200,
    body: await listImprovements(room, caller, query),
  }));
  binder.bind(improvements.getImprovement).to(async ({ caller, params }) => ({
    status: 200,
    body: { improvement: await requireImprovement(room.database, room.plans, caller, params.id) },
  }));
  binder.bind(improvements.resolveImprovement).to(async ({ caller, params }) => ({
    status: 200,
    body: { improvement: await changeImprovement(room, caller, params.id, { kind: 'resolve' }) },
  }));
  binder.bind(improvements.reopenImprovement).to(async ({ caller, params }) => ({
    status: 200,
    body: { improvement: await changeImprovement(room, caller, params.id, { kind: 'reopen' }) },
  }));
  binder.bind(improvements.snoozeImprovement).to(async ({ caller, params, body }) => {
    const change = { kind: 'snooze' as const, untilMs: readSnoozeTime(body.snoozed_until) };
    return { status: 200, body: { improvement: await changeImprovement(room, caller, params.id, change) } };
  });
  binder.bind(improvements.getImprovementBundle, { rawResponse: true }).to(async ({ caller, params }) => {
    const ids = { projectId: params.id, improvementId: params.improvementId };
    const answer = await readImprovementBundle(room, caller, ids);
    if (answer.kind === 'ready') return { status: 200, body: new RawJson(answer.bytes) };
    if (answer.kind === 'pending') return { status: 200, body: { status: 'pending' as const } };
    const { reason, relatedIncidentIds } = answer;
    const related = relatedIncidentIds === undefined ? {} : { related_incident_ids: relatedIncidentIds };
    return { status: 200, body: { status: 'failed' as const, reason, ...related } };
  });
  binder.bind(improvements.getImprovementSettings).to(async ({ caller, params }) => ({
    status: 200,
    body: await readImprovementSettings(room, caller, params.id),
  }));
  binder.bind(improvements.updateImprovementSettings).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 200, body: await updateImprovementSettings(room, caller, params.id, body, context) };
  });
}
