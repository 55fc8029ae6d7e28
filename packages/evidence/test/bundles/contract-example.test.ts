import { readFileSync } from 'node:fs';
import { DebugBundle } from '@culprit/contract/incidents/bundle';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { evidenceOf, exception, MOMENT_MS, request, response, sample } from './build-evidence.ts';

/** The example of docs/contract/incidents.md 3.11, with the two constants filled in. */
const EXAMPLE: unknown = JSON.parse(
  readFileSync(new URL('./contract-example.json', import.meta.url), 'utf8'),
);

const AT_1029_12 = Date.UTC(2026, 2, 24, 10, 29, 12);
const DEPLOYED_AT = Date.UTC(2026, 2, 24, 9, 30);

const STACK = `TypeError: Cannot read properties of undefined (reading 'theme')
    at renderTheme (/srv/releases/20260324101500/src/checkout/theme.js:42:27)`;

function exampleEvidence() {
  const first = exception(
    { stack: STACK },
    {
      eventId: 'evt_0c9d8e7f-1a2b-4c3d-8e4f-5a6b7c8d9e01',
      effectiveAtMs: AT_1029_12,
      receivedAtMs: Date.UTC(2026, 2, 24, 10, 29, 13, 104),
    },
  );
  const latest = exception(
    {
      stack: STACK,
      request: request({
        query: { step: 'payment' },
        headers: { authorization: '[REDACTED]', 'content-type': 'application/json' },
        body: { cart_id: 'cart_81' },
      }),
      response: response({ durationMs: 122 }),
      runtime: {
        name: 'node',
        version: '22.2.0',
        platform: 'linux',
        arch: 'x64',
        pid: 1,
        cwd: '/srv',
        uptime_sec: 3601.2,
        hostname: 'web-7d8f9',
        framework_version: '5.1.0',
      },
    },
    {
      eventId: 'evt_0c9d8e7f-1a2b-4c3d-8e4f-5a6b7c8d9e02',
      effectiveAtMs: MOMENT_MS,
      receivedAtMs: Date.UTC(2026, 2, 24, 10, 30, 0, 812),
      service: { name: 'checkout-api', environment: 'production', runtime: 'node', framework: 'express' },
      correlation: { requestId: 'req_71', traceId: null, sessionId: null, userIdHash: null },
    },
  );
  return evidenceOf(
    latest,
    {
      samples: [
        sample(first, { roles: ['first', 'after_deploy'], deployVersion: '2026.03.24.1' }),
        sample(latest, { roles: ['latest', 'highest_severity', 'richest'], deployVersion: '2026.03.24.1' }),
      ],
      deployments: [
        {
          version: '2026.03.24.1',
          commitSha: 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678',
          branch: 'main',
          deployedAtMs: DEPLOYED_AT,
          receivedAtMs: DEPLOYED_AT + 900,
        },
      ],
      constants: { baseUrl: '{base_url}', appUrl: '{app_url}' },
      generationNumber: 3,
    },
    {
      fingerprint: 'fa006c3229eed44563677272044dd2e563b3bf756ad902afeb3b389617c7c018',
      firstSeenAtMs: AT_1029_12,
      lastSeenAtMs: MOMENT_MS,
      occurrenceCount: 3,
      affectedUsersEstimate: 2,
      requestIds: { everyOccurrenceHadOne: true, distinctCount: 3 },
    },
  );
}

describe('the example document of the contract', () => {
  it('is built exactly from the evidence it describes', () => {
    expect(JSON.parse(JSON.stringify(assembleBundle(exampleEvidence())))).toEqual(EXAMPLE);
  });

  it('fits the published schema', () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    addFormats.default(ajv);
    const validate = ajv.compile(DebugBundle);
    validate(EXAMPLE);
    expect(validate.errors ?? []).toEqual([]);
  });
});
