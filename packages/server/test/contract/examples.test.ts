import { api } from '@culprit/contract/endpoints/api';
import { endpointExamples } from '@culprit/contract/endpoints/endpoint-examples';
import { buildOpenApiDocument } from '@culprit/contract/endpoints/openapi';
import { eventExamples } from '@culprit/contract/events/event-examples';
import { eventTypes } from '@culprit/contract/events/event-fields';
import { buildEventBatchSchema } from '@culprit/contract/events/event-schema';
import { postEvents } from '@culprit/contract/events/events';
import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { renderReferencePage } from '../../src/platform/http/reference/reference-page.ts';

const options = { title: 'Culprit', version: '1.0.0' };
const isBatch = new Ajv2020({ strict: false }).compile(buildEventBatchSchema());

describe('the examples of the reference', () => {
  it('have one event of each type, which the service accepts and the schema allows', () => {
    expect(Object.keys(eventExamples)).toEqual([...eventTypes]);
    for (const [type, event] of Object.entries(eventExamples)) {
      expect(event).toHaveProperty('event_type', type);
      expect(checkEvent(event)).toMatchObject({ ok: true });
      expect([type, isBatch({ events: [event] })]).toEqual([type, true]);
    }
  });

  it.each([...endpointExamples])('of %s fit its schemas', (_id, { endpoint, body, status, answer }) => {
    expect(api).toContain(endpoint);
    if (endpoint.id !== postEvents.id && endpoint.body !== undefined && endpoint.body !== 'none') {
      expect(compileValidator(endpoint.body)(body)).toBe(true);
    }
    const schema = endpoint.responses[status];
    expect(schema !== undefined && schema !== 'empty' && compileValidator(schema)(answer)).toBe(true);
  });

  it('say of a batch what the service says', () => {
    const events: unknown = Object(endpointExamples.get('postEvents')?.body).events;
    const errors = (Array.isArray(events) ? events : []).flatMap((event: unknown, index) => {
      const check = checkEvent(event);
      return check.ok ? [] : [{ index, reason: check.reason }];
    });
    expect(endpointExamples.get('postEvents')?.answer).toMatchObject({ accepted: 1, rejected: 1, errors });
  });

  it('are on the page and in the OpenAPI document, and so are the conditions', () => {
    const page = renderReferencePage(api, options);
    const document = JSON.stringify(buildOpenApiDocument(api, options));
    expect(page.split('<summary>Example of an answer').length - 1).toBe(endpointExamples.size);
    for (const { answer } of endpointExamples.values()) expect(document).toContain(JSON.stringify(answer));
    for (const event of Object.values(eventExamples)) expect(document).toContain(JSON.stringify(event));
    const conditions = api.flatMap((endpoint) => endpoint.conditions ?? []);
    expect(conditions.length).toBeGreaterThan(10);
    for (const condition of conditions) {
      expect(condition).toMatch(/^[A-Z`].*\.$/);
      expect(document).toContain(JSON.stringify(condition).slice(1, -1));
    }
    const rule = /<article id="createCaptureRule"[\s\S]*?<\/article>/.exec(page)?.[0] ?? '';
    expect(rule).toContain('<code>sample_event_class</code> are both required with the action');
  });
});
