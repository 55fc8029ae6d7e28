import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { DEP, EX, EXR, LOG, named } from '../conformance/incidents-fixtures.ts';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';

/** So much that no table and no folder is emptied in one step. */
const INCIDENTS = 120;
const EVENTS = 20_000;
const EVENT_IDS = 12_000;
const OBJECTS = 1100;

/** A project that has something in every table and folder where a project can have something. */
export async function createFullProject(
  culprit: TestCulprit,
  options: { email: string; name: string },
): Promise<TestProject> {
  const project = await culprit.createProject(options);
  const id = parseId(['proj'], project.projectId) ?? '';
  await createCollaborator(culprit, project, 'member');
  const owner = managementClient(culprit, project.memberToken);
  await owner.createProjectToken(project.projectId, { allowed_origins: ['https://a.example'] });
  const client = clientOf(culprit, project);
  const shared = {
    correlation: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
    context: { user_id: 'u-1' },
  };
  await client.send(DEP(), LOG('info', 'before', shared), EXR(shared), EX(shared));
  await client.send(named('Alpha'), named('Beta'));
  await client.refreshed();
  const [incident] = await client.list({ project_id: project.projectId });
  if (incident === undefined) throw new Error('the project has no incident');
  await client.resolve(incident.incident_id);
  const [bundled] = (await client.ledger('bundle.created')).map(({ incidentId }) => incidentId);
  await client.bundle(bundled ?? '');
  await fillTables(culprit, id);
  await fillFolder(culprit, id);
  return project;
}

/** What requests alone would take long for, or not bring about. Everything is a copy of, or hangs on, what is there. */
async function fillTables(culprit: TestCulprit, projectId: string): Promise<void> {
  const statements: readonly [name: string, text: string][] = [
    [
      'incidents',
      `insert into incidents select (jsonb_populate_record(i, jsonb_build_object('incident_id', gen_random_uuid(),
          'fingerprint', '\\x' || md5(n::text)))).*
        from incidents i, generate_series(1, ${INCIDENTS}) n
        where i.incident_id = (select incident_id from incidents where project_id = $1 limit 1)`,
    ],
    [
      'minutes',
      `insert into incident_minutes select incident_id, n, 1 from incidents, generate_series(1, 20) n
        where project_id = $1 on conflict do nothing`,
    ],
    [
      'sketches',
      `insert into incident_sketches select incident_id, '\\x00' from incidents where project_id = $1
        on conflict do nothing`,
    ],
    [
      'members',
      `insert into incident_members select incident_id, n from incidents, generate_series(1, 20) n
        where project_id = $1 on conflict do nothing`,
    ],
    [
      'context',
      `insert into incident_context select incident_id, 'evt_' || n, 3, 1, culprit_now(), culprit_now()
        from incidents, generate_series(1, 5) n where project_id = $1 on conflict do nothing`,
    ],
    [
      'events',
      `insert into events select (jsonb_populate_record(e, jsonb_build_object('event_id', 'evt_copy_' || n))).*
        from events e, generate_series(1, ${EVENTS}) n
        where e.project_id = $1 and e.event_id = (select event_id from events where project_id = $1 limit 1)`,
    ],
    [
      'event-ids',
      `insert into event_ids (project_id, id_hash, received_at) select $1, n, culprit_now()
        from generate_series(1, ${EVENT_IDS}) n`,
    ],
    ['split', 'update batches set split_at = culprit_now() where project_id = $1'],
    [
      'parts',
      `insert into batch_parts select batch_id, n, culprit_now() from batches, generate_series(0, 9) n
        where project_id = $1`,
    ],
    [
      'dead-letters',
      `insert into dead_letters (project_id, batch_id, position, reason, attempts)
        select project_id, batch_id, 0, 'planted', 8 from batches where project_id = $1`,
    ],
    [
      'tombstones',
      `insert into object_tombstones select object_key, project_id from batches where project_id = $1`,
    ],
    [
      'rate-windows',
      `insert into rate_windows select token_id, culprit_now(), 1, 1 from project_tokens where project_id = $1
        on conflict do nothing`,
    ],
    [
      'rules',
      `insert into capture_rules (rule_id, project_id, name, is_enabled, action, matcher, created_at, updated_at)
        select gen_random_uuid(), $1, 'rule ' || n, true, 'drop', '{}', culprit_now(), culprit_now()
        from generate_series(1, 3) n`,
    ],
    [
      'rule-hits',
      `insert into capture_rule_hits (rule_id, hits, matched_at) select rule_id, 1, culprit_now()
        from capture_rules where project_id = $1`,
    ],
    [
      'probes',
      `insert into probe_activations (activation_id, project_id, label_pattern, service, environment, sample_rate,
          created_at, expires_at, trigger_expires_at)
        values (gen_random_uuid(), $1, '*', '*', '*', 1, culprit_now(), culprit_now(), culprit_now())`,
    ],
    [
      'webhooks',
      `insert into webhooks (webhook_id, project_id, created_by_user_id, url, events, is_enabled, sealed_secret)
        select gen_random_uuid(), $1, gen_random_uuid(), 'https://hooks.example.com/in', '{bundle.created}', false, '\\x00'
        from generate_series(1, 3) n`,
    ],
    [
      'deliveries',
      `insert into webhook_deliveries (delivery_id, webhook_id, project_id, event_type, body, status, next_attempt_at)
        select gen_random_uuid(), webhook_id, project_id, 'bundle.created', '{}', 'delivered', null
        from webhooks, generate_series(1, 20) n where project_id = $1`,
    ],
    [
      'invites',
      `insert into project_invites (invite_id, project_id, email, role, token_hash, invited_by_user_id, expires_at)
        select gen_random_uuid(), $1, 'somebody@example.test', 'member', $1::uuid::text::bytea, $1, culprit_now()`,
    ],
  ];
  for (const [name, text] of statements) {
    await culprit.database.query({ name: `test-fill-${name}`, text }, [projectId]);
  }
}

/** Objects that no row names, as requests leave them whose commit failed. */
async function fillFolder(culprit: TestCulprit, projectId: string): Promise<void> {
  const folder = join(culprit.objectDirectory, 'raw', projectId, '2026-01-01');
  await mkdir(folder, { recursive: true });
  for (let i = 0; i < OBJECTS; i += 1) await writeFile(join(folder, newUuid()), '');
}
