-- The rows of the ledger that alert rules judge, newest last: for the verdicts of a rule and for previews, which read
-- those of a project (notifications.md 1.21). Partial, so that refreshed bundles, by far the most frequent rows, do not
-- pay for it.
create index lifecycle_events_judged on lifecycle_events (project_id, occurred_at, lifecycle_id)
  where kind in ('incident.opened', 'incident.regressed', 'incident.spike_detected', 'incident.threshold_reached',
    'incident.woke');

-- Matches for which a rule sent nothing because the allowance of messages was used up. A transition that is evaluated
-- twice writes its row once.
create table alert_refusals (
  project_id uuid not null,
  alert_id uuid not null,
  lifecycle_id bigint not null,
  created_at timestamptz(3) not null default culprit_now(),
  primary key (project_id, alert_id, lifecycle_id)
);
create index alert_refusals_old on alert_refusals using brin (created_at);
