import type { FieldFlag } from '../../records/fields.ts';

const number = (name: string, field: string, min: number, max: number, says: string): FieldFlag => ({
  name,
  value: 'N',
  kind: 'integer',
  min,
  max,
  field,
  as: 'number',
  says,
});

export const HEARTBEAT_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'name of the job' },
  { name: 'timezone', value: 'ZONE', field: 'timezone', says: 'of the schedule, such as Europe/Berlin' },
  number('margin', 'margin_minutes', 0, 10_080, 'minutes by which a run may be late'),
  number('max-runtime', 'max_runtime_minutes', 1, 10_080, 'minutes that a run may take'),
  number('failure-threshold', 'failure_threshold', 1, 10, 'failures in a row that open an incident'),
  number('recovery-threshold', 'recovery_threshold', 1, 10, 'runs in a row that resolve it'),
];
