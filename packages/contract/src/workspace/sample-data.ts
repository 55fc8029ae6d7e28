import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** The sample data of a project (docs/contract/server-additions.md S32). */
export const SampleData = Named('SampleData', {
  state: Type.Enum(['none', 'adding', 'present', 'removing'], {
    description: '`adding` until its events are processed',
  }),
  incidents: Type.Integer({ minimum: 0, description: 'Incidents of the sample data' }),
  added_at: Nullable(Timestamp),
});
export type SampleData = Static<typeof SampleData>;

const path = '/v1/projects/:id/sample-data';
const params = Closed({ id: PathId('project') });
const answer = Closed({ sample_data: SampleData });

export const getSampleData = defineEndpoint({
  id: 'getSampleData',
  method: 'GET',
  path,
  summary: 'Show whether a project has sample data',
  scope: { of: 'project', id: 'params.id' },
  params,
  responses: { 200: answer },
});

export const addSampleData = defineEndpoint({
  id: 'addSampleData',
  method: 'POST',
  path,
  summary:
    'Add the incidents of a sample shop, which send no alerts or webhooks and count toward no allowance; a project can have them once',
  scope: { of: 'project', id: 'params.id' },
  params,
  body: 'none',
  responses: { 201: answer },
});

export const removeSampleData = defineEndpoint({
  id: 'removeSampleData',
  method: 'DELETE',
  path,
  summary: 'Remove the sample data of a project with everything that belongs to it',
  scope: { of: 'project', id: 'params.id' },
  params,
  body: 'none',
  responses: { 200: answer },
});
