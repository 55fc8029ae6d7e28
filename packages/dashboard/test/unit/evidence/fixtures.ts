import type { Incident } from '@culprit/contract/incidents/incidents';
import { NO_TRIAGE } from '@culprit/contract/incidents/triage';
import fc from 'fast-check';
import { assembleBundle } from '../../../../evidence/src/bundles/document/assemble-bundle.ts';
import {
  evidenceOf,
  exception,
  frontendException,
  HOUR_MS,
  log,
  MOMENT_MS,
  probe,
  request,
  requestEvent,
  response,
} from '../../../../evidence/test/bundles/build-evidence.ts';

export const INCIDENT: Incident = {
  incident_id: 'inc_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
  short_id: 'CHECKOUT-42',
  project_id: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
  project_name: 'Main App',
  service_id: null,
  service_name: 'checkout',
  latest_deployment_id: null,
  environment: 'production',
  fingerprint: 'a'.repeat(64),
  fingerprint_version: 'v2',
  title: "TypeError: Cannot read properties of undefined (reading 'theme')",
  severity: 'high',
  status: 'open',
  first_seen_at: '2026-03-24T10:00:00.000Z',
  last_seen_at: '2026-03-24T10:30:00.000Z',
  occurrence_count: 4,
  spike_detected_at: null,
  resolved_at: null,
  regressed_at: null,
  source_trust: 'server',
  symbolication: null,
  first_release: null,
  last_release: null,
  regressed_in_release: null,
  resolved_in: null,
  matched_fields: ['service'],
  incident_reason: {
    kind: 'backend_exception',
    description: 'Unhandled exception',
    event_type: 'backend_exception',
    event_class: 'incident_signal',
    matched_policy: 'always_incident',
  },
  is_sample: false,
  triage: NO_TRIAGE,
};

/** Bundles as the server makes them, with and without each kind of evidence. */
export const bundles = fc
  .record({
    name: fc.constantFrom('TypeError', ''),
    stack: fc.constantFrom('TypeError: x\n    at f (/srv/app/src/a.js:1:2)', 'no stack at all', ''),
    hasRequest: fc.boolean(),
    hasResponse: fc.boolean(),
    hasLogs: fc.boolean(),
    hasProbes: fc.boolean(),
    deployedHoursBefore: fc.constantFrom(null, 1, 25),
    kind: fc.constantFrom('exception', 'frontend', 'request', 'log', 'opaque'),
  })
  .map(({ name, stack, hasRequest, hasResponse, hasLogs, hasProbes, deployedHoursBefore, kind }) => {
    const exchange = {
      ...(hasRequest ? { request: request() } : {}),
      ...(hasResponse ? { response: response() } : {}),
    };
    const primary = {
      exception: () => exception({ name, stack, ...exchange }),
      frontend: () => frontendException({ name, stack }),
      request: () => requestEvent(),
      log: () => log('refused'),
      opaque: () => frontendException({ name: 'Error', message: 'Script error.', stack: '' }),
    }[kind]();
    const related = [
      ...(hasLogs ? [log('a line')] : []),
      ...(hasProbes ? [probe('cart', { items: 1 })] : []),
    ];
    return assembleBundle(
      evidenceOf(
        primary,
        {
          correlated: related.map((each) => ({ event: each, relation: 'trace' as const })),
          deployments: deployedHoursBefore === null ? [] : [deployment(deployedHoursBefore)],
        },
        kind === 'opaque' ? { fingerprintKind: 'window' } : {},
      ),
    );
  });

export function deployment(hoursBefore: number) {
  const deployedAtMs = MOMENT_MS - hoursBefore * HOUR_MS;
  return { version: 'v7', commitSha: null, branch: null, deployedAtMs, receivedAtMs: deployedAtMs };
}
