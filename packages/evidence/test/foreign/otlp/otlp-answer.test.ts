import { describe, expect, it } from 'vitest';
import { statusBody, successBody } from '../../../src/foreign/otlp/otlp-answer.ts';
import { otlpFormOf } from '../../../src/foreign/otlp/otlp-form.ts';

describe('an answer', () => {
  it('of success is empty, in the form of the question', () => {
    expect(successBody('protobuf', 'traces', null)).toEqual({
      contentType: 'application/x-protobuf',
      body: Buffer.alloc(0),
    });
    expect(successBody('json', 'logs', null).body.toString()).toBe('{}');
  });

  it('names how many were refused', () => {
    const partial = { rejected: 300, message: 'rate_limited' };
    expect(JSON.parse(successBody('json', 'traces', partial).body.toString())).toEqual({
      partialSuccess: { rejectedSpans: '300', errorMessage: 'rate_limited' },
    });
    expect(JSON.parse(successBody('json', 'logs', partial).body.toString())).toEqual({
      partialSuccess: { rejectedLogRecords: '300', errorMessage: 'rate_limited' },
    });
    // partial_success = 1 { rejected_spans = 1: 300, error_message = 2 }
    expect(successBody('protobuf', 'traces', partial).body.toString('hex')).toBe(
      `0a1108ac02120c${Buffer.from('rate_limited').toString('hex')}`,
    );
  });

  it('of a failure is a status with the code of gRPC', () => {
    expect(JSON.parse(statusBody('json', 429, 'Wait.').body.toString())).toEqual({
      code: 8,
      message: 'Wait.',
    });
    expect(statusBody('protobuf', 503, 'Wait.').body.toString('hex')).toBe(
      `080e1205${Buffer.from('Wait.').toString('hex')}`,
    );
  });
});

it('the form of a body is that of its media type', () => {
  expect(
    [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/x-protobuf',
      'application/grpc',
      'text/plain',
      undefined,
    ].map(otlpFormOf),
  ).toEqual(['json', 'json', 'protobuf', null, null, null]);
});
