import type { Plan, PlanSettings, RetentionWindows } from './plan.ts';

const BY_PLAN: Record<Plan, RetentionWindows> = {
  free: { rawDays: 7, incidentDays: 7 },
  solo: { rawDays: 14, incidentDays: 30 },
  team: { rawDays: 30, incidentDays: 90 },
};

/** Returns the windows of a plan; while plan limits are off, those that the operator configured. */
export function retentionWindows(plan: Plan, settings: PlanSettings): RetentionWindows {
  return settings.isEnforced ? BY_PLAN[plan] : settings.retention;
}

/** Returns the days after which no project needs its incidents. */
export function longestIncidentDays(settings: PlanSettings): number {
  if (!settings.isEnforced) return settings.retention.incidentDays;
  return Math.max(...Object.values(BY_PLAN).map(({ incidentDays }) => incidentDays));
}
