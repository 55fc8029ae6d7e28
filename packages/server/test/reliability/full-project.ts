import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseId } from '../../src/platform/ids.ts';
import { PROJECT_OBJECT_KINDS, projectFolder } from '../../src/workspace/projects/project-objects.ts';
import { DEP, EX, EXR, LOG, named } from '../conformance/incidents-fixtures.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { copyIncidents } from '../support/copy-incidents.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';

/** So much that no table and no folder is emptied in one step. */
const INCIDENTS = 120;
const EVENTS = 20_000;
const EVENT_IDS = 12_000;
const OBJECTS = 1100;
/** Source maps, and files of each upload. */
const MAPS = 20;
const NAMES_OF_MAP = 300;
const FOLDER = '2026-01-01';

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
  // More of one kind than a step removes.
  for (const kind of PROJECT_OBJECT_KINDS) {
    await fillFolder(culprit, projectFolder(kind, id), kind === 'raw' ? OBJECTS : MAPS);
  }
  return project;
}

/** What requests alone would take long for, or not bring about. Everything is a copy of, or hangs on, what is there. */
async function fillTables(culprit: TestCulprit, projectId: string): Promise<void> {
  await copyIncidents(
    culprit.database,
    {
      changed: `jsonb_build_object('incident_id', gen_random_uuid(), 'number', 1000000 + n, 'fingerprint', '\\x' || md5(n::text))`,
      from: `incidents i, generate_series(1, ${INCIDENTS}) n
        where i.incident_id = (select incident_id from incidents where project_id = $1 limit 1)`,
    },
    [projectId],
  );
  const statements: readonly [name: string, text: string][] = [
    [
      'minutes',
      `insert into incident_minutes select incident_id, n, 1 from incidents, generate_series(1, 20) n
        where project_id = $1 on conflict do nothing`,
    ],
    [
      'hours',
      `insert into incident_hours (incident_id, hour, occurrences, suppressed)
        select incident_id, n, 1, 0 from incidents, generate_series(1, 20) n
        where project_id = $1 on conflict do nothing`,
    ],
    [
      'aliases',
      `insert into incident_aliases (service_id, fingerprint_version, fingerprint, project_id, incident_id, origin,
          created_at)
        select service_id, 'v2', decode(md5(incident_id::text), 'hex'), $1, incident_id, 'merge', culprit_now()
        from incidents where project_id = $1 and service_id is not null on conflict do nothing`,
    ],
    [
      'slots',
      `insert into incident_slots (project_id, service_id, slot, is_browser, words, fingerprints, noted_at, pattern)
        select $1, service_id, decode(md5(service_id::text), 'hex'), false, '{}', '{}', culprit_now(), ''
        from services where project_id = $1 on conflict do nothing`,
    ],
    [
      'triage',
      `insert into incident_triage (incident_id, project_id, priority) select incident_id, $1, 2 from incidents
        where project_id = $1`,
    ],
    [
      'notes',
      `insert into incident_notes (note_id, project_id, incident_id, author_user_id, via, body)
        select gen_random_uuid(), $1, incident_id, gen_random_uuid(), 'dashboard', 'note ' || n
        from incidents, generate_series(1, 5) n where project_id = $1`,
    ],
    [
      'watchers',
      `insert into incident_watchers (project_id, incident_id, user_id)
        select m.project_id, i.incident_id, m.user_id
        from project_members m join incidents i on i.project_id = m.project_id where m.project_id = $1`,
    ],
    [
      'views',
      `insert into views (view_id, project_id, owner_user_id, created_by_user_id, name, q, status, sort, position)
        select gen_random_uuid(), $1, null, null, 'view ' || n, '', 'active', 'last_seen', n
        from generate_series(1, 5) n`,
    ],
    [
      'group-memberships',
      `insert into group_memberships (project_id, user_id, role)
        select project_id, user_id, 'member' from project_members where project_id = $1 and role <> 'owner'`,
    ],
    [
      'group-grants',
      `insert into group_grants (grant_id, organization_id, group_name, role, project_id)
        select gen_random_uuid(), organization_id, 'group ' || n, 'member', $1
        from projects, generate_series(1, 3) n where project_id = $1`,
    ],
    [
      'fixes',
      `insert into incident_fixes (fix_id, project_id, incident_id, author_user_id, via, url)
        select gen_random_uuid(), $1, incident_id, gen_random_uuid(), 'token', 'https://code.example.com/pull/' || n
        from incidents, generate_series(1, 3) n where project_id = $1`,
    ],
    [
      'snooze-memories',
      `insert into snooze_memories (project_id, service_name, environment, fingerprint_version, fingerprint,
          snoozed_until)
        select $1, 'api', 'production', 'v2', decode(md5(n::text), 'hex'), culprit_now() + interval '1 d'
        from generate_series(1, 20) n`,
    ],
    [
      'regroupings',
      `insert into regroupings (regrouping_id, project_id, created_at, stack_rules_before, stack_rules, hours,
          merged_incidents, led_keys, split_incidents, events_seen, is_complete)
        select gen_random_uuid(), $1, culprit_now(), '{}', '{}', 1, 0, 0, 0, 0, true from generate_series(1, 20)`,
    ],
    [
      'members',
      `insert into incident_members select project_id, incident_id, '', '', false, false, 1, ''
        from incidents where project_id = $1 on conflict do nothing`,
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
    [
      'releases',
      `insert into releases (project_id, release_id, version, created_by, first_at)
        select $1, gen_random_uuid(), 'release ' || n, 'event', culprit_now() from generate_series(1, 20) n`,
    ],
    [
      'release-services',
      `insert into release_services (project_id, service_name, environment, release_id, first_at)
        select $1, s.name, s.environment, r.release_id, culprit_now()
        from services s join releases r using (project_id) where s.project_id = $1 on conflict do nothing`,
    ],
    [
      'release-days',
      `insert into release_days (project_id, release_id, day)
        select $1, release_id, date '2026-01-01' + n from releases, generate_series(1, 5) n where project_id = $1`,
    ],
    [
      'release-commits',
      `insert into release_commits (project_id, release_id, position, sha, message)
        select $1, release_id, 1, 'abc', 'planted' from releases where project_id = $1`,
    ],
    [
      'unnamed-releases',
      `insert into unnamed_releases (project_id, day, name_hash) select $1, current_date, n from generate_series(1, 5) n`,
    ],
    [
      'resolutions',
      `insert into incident_resolutions (project_id, incident_id, kind, version)
        select project_id, incident_id, 'release', '1.0.0' from incidents where project_id = $1`,
    ],
    [
      'foreign-kinds',
      `insert into foreign_kinds (project_id, hour, protocol, kind, taken, not_taken, over_limit, last_at)
        select $1, culprit_now(), protocol, 'planted', 1, 1, 1, culprit_now()
        from unnest(array['sentry', 'otlp', 'report']) protocol`,
    ],
    [
      'rejections',
      `insert into rejections (project_id, hour, token_id, reason, events, last_at)
        select $1, culprit_now(), gen_random_uuid(), 'invalid_event', 1, culprit_now() from generate_series(1, 5)`,
    ],
    [
      'map-uploads',
      `insert into map_uploads (project_id, upload_id, state, via, manifest_hash, announced_bytes)
        select $1, gen_random_uuid(), 'done', 'api', sha256(n::text::bytea), 1 from generate_series(1, 5) n`,
    ],
    [
      'map-upload-files',
      `insert into map_upload_files (project_id, upload_id, position, path, base_hash, generated_sha256,
          generated_bytes, map_sha256, map_bytes)
        select $1, upload_id, n, n || '.js', n, sha256(n::text::bytea), 1, sha256(n::text::bytea), 1
        from map_uploads, generate_series(1, ${MAPS}) n where project_id = $1`,
    ],
    [
      'map-upload-parts',
      `insert into map_upload_parts (project_id, upload_id, sha256, part, object_key)
        select $1, upload_id, map_sha256, 0, 'map-parts/' || project_id || '/${FOLDER}/' || position
        from map_upload_files where project_id = $1`,
    ],
    [
      'source-maps',
      `insert into source_maps (project_id, source_map_id, path, releases, generated_sha256, map_sha256, code_sha256,
          generated_bytes, map_bytes, stored_bytes, sources, segments, has_contents, registers_id, object_key)
        select $1, gen_random_uuid(), n || '.js', '{1}', sha256(n::text::bytea), sha256(n::text::bytea),
          sha256(n::text::bytea), 1, 1, 1, 1, 1, false, false, 'maps/' || $1::uuid || '/${FOLDER}/' || n
        from generate_series(1, ${MAPS}) n`,
    ],
    [
      'source-map-names',
      `insert into source_map_names (project_id, found_by, key, base_hash, source_map_id, path)
        select $1, 'file', n::text, n, source_map_id, path
        from source_maps, generate_series(1, ${NAMES_OF_MAP}) n where project_id = $1`,
    ],
    [
      'map-waits',
      `insert into map_waits (project_id, found_by, key, base_hash, incident_id, file, reason, is_browser, events,
          first_seen_at, last_seen_at)
        select $1, 'file', '1', 1, incident_id, 'main.js', 'planted', true, 1, culprit_now(), culprit_now()
        from incidents where project_id = $1`,
    ],
    [
      'suppression-keys',
      `insert into suppression_keys select service_id, n, $1, gen_random_uuid(), culprit_now()
        from services, generate_series(1, 50) n where project_id = $1`,
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
      `insert into object_tombstones select distinct object_key || '-before', project_id from batches
        where project_id = $1`,
    ],
    [
      'incident-tombstones',
      `insert into incident_tombstones (incident_id, project_id) select gen_random_uuid(), $1
        from generate_series(1, 3) n`,
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
      'checks',
      `insert into availability_checks (check_id, project_id, name, url, method, expected_status_min,
          expected_status_max, timeout_ms, interval_seconds, failure_threshold, recovery_threshold, environment,
          is_enabled, grid_at, next_check_at)
        select gen_random_uuid(), $1, 'check ' || n, 'https://status.example.com/', 'GET', 200, 399, 2500, 60, 3, 2,
          'production', false, culprit_now(), culprit_now()
        from generate_series(1, 3) n`,
    ],
    [
      'check-results',
      `insert into availability_results (result_id, check_id, project_id, slot_at, started_at, completed_at,
          duration_ms, status, checked_host, final_url, redirect_count)
        select gen_random_uuid(), check_id, project_id, culprit_now() - make_interval(mins => n), culprit_now(),
          culprit_now(), 1, 'success', 'status.example.com', 'https://status.example.com/', 0
        from availability_checks, generate_series(1, 20) n where project_id = $1`,
    ],
    [
      'check-days',
      `insert into availability_days (check_id, project_id, day) select check_id, project_id, culprit_now()::date
        from availability_checks where project_id = $1`,
    ],
    ['check-tests', 'insert into availability_tests values ($1, culprit_now(), 1)'],
    [
      'heartbeats',
      `insert into heartbeats (heartbeat_id, project_id, slug, environment, name, schedule_type, schedule_value, timezone,
          margin_minutes, max_runtime_minutes, failure_threshold, recovery_threshold, is_enabled, managed_by, ping_key,
          slot_opened_at, expected_at, judge_at)
        select gen_random_uuid(), $1, 'job-' || n, 'production', 'job ' || n, 'crontab', '0 3 * * *', 'UTC', 5, 30, 1, 1,
          false, 'member', gen_random_uuid(), culprit_now(), culprit_now(), culprit_now()
        from generate_series(1, 3) n`,
    ],
    [
      'heartbeat-runs',
      `insert into heartbeat_runs (project_id, heartbeat_id, check_in_id, status, started_at, environment)
        select project_id, heartbeat_id, gen_random_uuid(), 'ok', culprit_now(), environment
        from heartbeats, generate_series(1, 20) where project_id = $1`,
    ],
    [
      'heartbeat-days',
      `insert into heartbeat_days (project_id, heartbeat_id, day, ok)
        select project_id, heartbeat_id, culprit_now()::date, 20 from heartbeats where project_id = $1`,
    ],
    [
      'improvements',
      `insert into improvements (improvement_id, project_id, service_id, service_name, environment, detector,
          detector_key, fingerprint, status, first_detected_at, last_detected_at, last_received_at)
        select gen_random_uuid(), $1, service_id, name, environment, 'slow_request', 'GET /' || n,
          sha256(n::text::bytea), 'open', culprit_now(), culprit_now(), culprit_now()
        from services, generate_series(1, 20) n where project_id = $1`,
    ],
    [
      'improvement-counters',
      `insert into improvement_counters select improvement_id, culprit_now() + make_interval(mins => n), $1, 1, 1, 1,
          0, 0, 0, 1, culprit_now(), culprit_now(), culprit_now() + interval '1 d'
        from improvements, generate_series(1, 20) n where project_id = $1`,
    ],
    [
      'improvement-attempts',
      `insert into improvement_attempts select improvement_id, n, $1, '{1}', 1, culprit_now() + interval '1 d'
        from improvements, generate_series(1, 5) n where project_id = $1`,
    ],
    [
      'improvement-samples',
      `insert into improvement_samples select improvement_id, 'latest', $1, 'evt_x', culprit_now(), culprit_now(), 0,
          gen_random_uuid(), 0, 0, 0
        from improvements where project_id = $1`,
    ],
    [
      'improvement-ledger',
      `insert into lifecycle_events (project_id, improvement_id, kind) select $1, improvement_id,
          'improvement_bundle.created' from improvements where project_id = $1`,
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
      'slack-installs',
      `insert into slack_installs (state_hash, user_id, project_id, return_to, is_browser_bound, expires_at)
        select $1::uuid::text::bytea, user_id, $1, '/', false, culprit_now() from project_members
        where project_id = $1 and role = 'owner'`,
    ],
    [
      'reports',
      `insert into weekly_reports (channel_id, week) select channel_id, '2026-01-05' from weekly_report_channels
        where project_id = $1`,
    ],
    [
      'alert-rules',
      `insert into alert_rules (alert_id, project_id, created_by_user_id, channel, condition_type, cooldown_seconds,
          config, is_enabled)
        select gen_random_uuid(), $1, gen_random_uuid(), 'webhook', 'new_incident', 0, '{}', false
        from generate_series(1, 3) n`,
    ],
    [
      'alert-crossings',
      `insert into alert_crossings (project_id, alert_id, incident_id, threshold, reached_at, held_at)
        select project_id, alert_id, gen_random_uuid(), 5, culprit_now(), culprit_now() from alert_rules
        where project_id = $1`,
    ],
    [
      'alert-refusals',
      'insert into alert_refusals (project_id, alert_id, lifecycle_id) select project_id, alert_id, 1 from alert_rules where project_id = $1',
    ],
    [
      'event-id-days',
      `insert into event_id_days (project_id, day, stamp) values ($1, current_date - 1, gen_random_uuid())`,
    ],
    ['context-kinds', 'insert into context_kinds (project_id, offers) values ($1, 0) on conflict do nothing'],
    [
      'trackers',
      `insert into trackers (tracker_id, project_id, kind, name, base_url, target, sealed_token, close_on_resolve,
          reopen_on_regress, resolve_on_close, wont_fix)
        select gen_random_uuid(), $1, 'github', 'GitHub', 'https://api.github.com', 'a/b', '\\x00', true, true, true,
          'snooze'
        from generate_series(1, 3) n`,
    ],
    [
      'incident-links',
      `insert into incident_links (link_id, project_id, incident_id, tracker_id, state)
        select gen_random_uuid(), $1, i.incident_id, t.tracker_id, 'failed'
        from incidents i, trackers t where i.project_id = $1 and t.project_id = $1`,
    ],
    [
      'unlinked-tickets',
      `insert into unlinked_tickets (project_id, incident_id, link_id, tracker_id, remote_id)
        select project_id, incident_id, link_id, tracker_id, '1' from incident_links where project_id = $1`,
    ],
    [
      'note-comments',
      `insert into note_comments (project_id, incident_id, link_id, note_id, is_done)
        select project_id, incident_id, link_id, gen_random_uuid(), true from incident_links where project_id = $1`,
    ],
    ['ownership', `insert into ownership (project_id, version, text) values ($1, 1, '* none')`],
    [
      'sample-data',
      `insert into sample_data (project_id, sample_id, batch_id, received_at, removing_since)
        select $1, gen_random_uuid(), gen_random_uuid(), culprit_now(), culprit_now() from generate_series(1, 3) n`,
    ],
    [
      'personal-notices',
      `insert into personal_notices (project_id, user_id, incident_id, reason)
        select $1, m.user_id, i.incident_id, 'assigned' from project_members m, incidents i
        where m.project_id = $1 and i.project_id = $1`,
    ],
    [
      'alert-receivers',
      `insert into alert_receivers (receiver_id, project_id) select alert_id, project_id from alert_rules
        where project_id = $1`,
    ],
    [
      'alert-messages',
      `insert into alert_messages (message_id, project_id, receiver_id, channel, status)
        select gen_random_uuid(), project_id, receiver_id, 'webhook', 'delivered'
        from alert_receivers, generate_series(1, 20) n where project_id = $1`,
    ],
    [
      'alert-deliveries',
      `insert into alert_deliveries (alert_delivery_id, alert_id, project_id, incident_id, message_id, dedupe_key,
          notification_key, facts)
        select gen_random_uuid(), receiver_id, project_id, gen_random_uuid(), message_id, '', '', '{}'
        from alert_messages where project_id = $1`,
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

/** Objects of which rows name some, or none, as requests leave them whose commit failed. */
async function fillFolder(culprit: TestCulprit, name: string, count: number): Promise<void> {
  const folder = join(culprit.objectDirectory, name, FOLDER);
  await mkdir(folder, { recursive: true });
  for (let i = 1; i <= count; i += 1) await writeFile(join(folder, String(i)), '');
}
