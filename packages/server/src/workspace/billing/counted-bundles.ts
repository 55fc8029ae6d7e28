/** The condition on `bundles b` that a plan counts it: sample data take no place. */
export const COUNTED_BUNDLE = `not exists (select from incidents i where i.project_id = b.project_id
  and i.incident_id = b.incident_id and i.sample_id is not null)`;
