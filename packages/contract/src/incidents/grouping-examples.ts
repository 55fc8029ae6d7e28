import { type EndpointExample, EXAMPLE, example } from '../endpoints/endpoint-example.ts';
import { previewGrouping } from './grouping-preview.ts';
import {
  getIncidentGrouping,
  type IncidentGrouping,
  mergeIncidents,
  splitIncident,
} from './incident-grouping.ts';
import { applyRegrouping, listRegroupings, undoRegrouping } from './regroupings.ts';

const OTHER_INCIDENT = 'inc_7c1d0b6e-3f2a-4d58-9b0c-5e6f7a8b9c10';
const key = {
  fingerprint_version: 'v2',
  fingerprint: 'fa006c3229eed44563677272044dd2e563b3bf756ad902afeb3b389617c7c018',
  origin: 'own',
  since: null,
  from_incident_id: null,
  slot_id: null,
} as const;
const grouping: IncidentGrouping = {
  incident_id: EXAMPLE.incidentId,
  merged_into: null,
  members: [],
  matched_fields: ['environment', 'service', 'error_type', 'normalized_message', 'top_frames'],
  readers: ['js_trace'],
  rule: 'own_frames',
  keys: [key],
  slots: [],
};
const mergedGrouping: IncidentGrouping = {
  ...grouping,
  members: [OTHER_INCIDENT],
  keys: [
    key,
    {
      fingerprint_version: 'v2',
      fingerprint: '1b5f0c8f7e2d49a6b3c8d1e0f4a7925c6d3b8e1f0a9c4d7b2e5f8a1c3d6b9e40',
      origin: 'merge' as const,
      since: EXAMPLE.now,
      from_incident_id: OTHER_INCIDENT,
      slot_id: null,
    },
  ],
};
const slotId = '4f2a9d0c7be15386a1c3e5f70b2d4968';
const learnedGrouping: IncidentGrouping = {
  ...grouping,
  slots: [
    {
      slot_id: slotId,
      template: 'Invalid user […] from <*>',
      words: ['alice', 'bob', 'chen', 'dana', 'emil'],
      holds_values: false,
      only_browsers: false,
      opened_at: EXAMPLE.now,
      opened_by_event_id: 'evt_01J9Z8Q4M3',
    },
  ],
};

const regrouping = {
  regrouping_id: '3b0e7c52-9a41-4d0e-8f6b-2c5d1e7a9f04',
  created_at: EXAMPLE.now,
  created_by_user_id: EXAMPLE.userId,
  stack_rules_before: [],
  stack_rules: ['*/shared/* foreign'],
  hours: 24,
  merged_incidents: 1,
  led_keys: 3,
  split_incidents: 0,
  events_seen: 1204,
  is_complete: true,
  undone_at: null,
  undone_by_user_id: null,
};

/** Examples of what makes events one incident (docs/contract/grouping.md 6 and 8). */
export const groupingExamples: readonly EndpointExample[] = [
  example(getIncidentGrouping, undefined, 200, { grouping: learnedGrouping }),
  example(mergeIncidents, { incident_ids: [EXAMPLE.incidentId, OTHER_INCIDENT] }, 200, {
    grouping: mergedGrouping,
  }),
  example(splitIncident, { incident_ids: [OTHER_INCIDENT], slot_ids: [slotId] }, 200, { grouping }),
  example(previewGrouping, { stack_rules: ['*/shared/* foreign'], hours: 24 }, 200, {
    events_seen: 1204,
    incidents_seen: 12,
    merge_count: 1,
    merges: [
      {
        incidents: [
          { incident_id: EXAMPLE.incidentId, title: 'TimeoutError: no answer', events: 31 },
          { incident_id: OTHER_INCIDENT, title: 'TimeoutError: no answer', events: 4 },
        ],
        events: 35,
        samples: ['TimeoutError: no answer from billing', 'TimeoutError: no answer from stock'],
      },
    ],
    split_count: 0,
    splits: [],
    is_complete: true,
  }),
  example(listRegroupings, undefined, 200, { regroupings: [regrouping] }),
  example(applyRegrouping, { stack_rules: ['*/shared/* foreign'], hours: 24 }, 201, { regrouping }),
  example(undoRegrouping, { regrouping_id: regrouping.regrouping_id }, 200, {
    regrouping: { ...regrouping, undone_at: EXAMPLE.now, undone_by_user_id: EXAMPLE.userId },
  }),
];
