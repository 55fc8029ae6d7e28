import type { BodyOf, Endpoint, ResponseOf } from './endpoint.ts';

/** A request to an endpoint and the answer to it. */
export interface EndpointExample {
  readonly endpoint: Endpoint;
  /** Absent where the request carries no body. */
  readonly body?: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** The ids in examples, one thing by one id everywhere. */
export const EXAMPLE = {
  projectId: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
  userId: '5b1f0d2c-7e9a-4f4b-8c3d-1a2b3c4d5e02',
  organizationId: 'a3c5e7f9-1b2d-4e6f-8a0c-9d8e7f6a5b03',
  incidentId: 'inc_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
  serviceId: '9c5a1f80-3d5c-4d6e-9f64-6e2b0c7f1d03',
  tokenId: 'tok_6e5d4c3b-2a19-4807-9f6e-5d4c3b2a1908',
  deploymentId: '1d2e3f40-5a6b-4c7d-8e9f-0a1b2c3d4e05',
  checkId: '2e3f4051-6b7c-4d8e-9f0a-1b2c3d4e5f06',
  now: '2026-01-02T03:04:05.000Z',
  email: 'dev@example.test',
} as const;

/** The types see to it that request and answer are those of the endpoint. */
export function example<E extends Endpoint, Answer extends ResponseOf<E>>(
  endpoint: E,
  body: BodyOf<E>,
  status: Answer['status'] & number,
  answer: Answer['body'],
): EndpointExample {
  return { endpoint, ...(body === undefined ? {} : { body }), status, answer };
}
