import { describe, expect, it } from 'vitest';
import { errorEvidence } from '../../src/bundles/document/context-blocks/error.ts';
import { stackBlock } from '../../src/bundles/document/context-blocks/stack.ts';
import type { SampleEvidence } from '../../src/bundles/evidence/bundle-evidence.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { fingerprintEvent } from '../../src/events/fingerprint/fingerprint.ts';
import { readStackRules } from '../../src/events/fingerprint/stack/stack-rules.ts';
import { eventSeverity } from '../../src/events/normalize/event-severity.ts';
import { familyEvent } from '../foreign/sentry/families.ts';
import { normalizedEvent } from '../foreign/sentry/map-event.ts';

function sampleOf(event: JsonObject): SampleEvidence {
  const normalized = normalizedEvent(event);
  const chain = fingerprintEvent(normalized, readStackRules([]))?.chain ?? [];
  return { event: normalized, chain } as SampleEvidence;
}

/** docs/contract/incidents.md 3.4. */
describe('an exception whose frames came as objects', () => {
  it('has a stack as text, with its causes', () => {
    expect(errorEvidence([sampleOf(familyEvent('python 1 flask'))])?.block.stack).toBe(
      [
        'OrderError: no stock',
        '    at order (shop/views.py:31)',
        '    at get_response (django/core/handlers/base.py:197)',
        "Caused by: KeyError: 'sku'",
        '    at find (shop/stock.py:8)',
      ].join('\n'),
    );
    expect(errorEvidence([sampleOf(familyEvent('node 9'))])?.block.stack).toContain(
      '    at <anonymous> (/app/src/web.js:40:3)',
    );
  });

  it('shows source and variables of its frames, without secrets', () => {
    const event = familyEvent('python 2 django');
    const block = stackBlock(sampleOf(event));
    expect(block?.frames[0]).toMatchObject({
      context_line: "        raise OrderError('no stock') from error",
      vars: { count: '2', password: '[REDACTED]' },
    });
    expect(block?.causes[0]?.frames[0]).toMatchObject({
      pre_context: ['def find(sku):', '    items = {}'],
    });
    expect(JSON.stringify(block)).not.toMatch(/hunter2|k-123456789/);
  });
});

it('an exception is as severe as the program rates it at most', () => {
  const severity = (level: string) =>
    eventSeverity(normalizedEvent({ ...familyEvent('node 11'), level }), {
      isServerToken: true,
      hasFrames: true,
    });
  expect(['debug', 'info', 'warning', 'error', 'fatal', 'odd'].map(severity)).toEqual([
    'low',
    'low',
    'medium',
    'high',
    'high',
    'high',
  ]);
});
