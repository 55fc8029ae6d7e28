-- Lists by priority find the incidents that were escalated lately (docs/contract/team-workflow.md 5.1). An event writes to
-- this index only when it escalates its incident.
create index incidents_escalated on incidents (project_id, escalated_at) where escalated_at is not null;
