import type { PlanSettings } from '../billing/plan.ts';
import type { Config } from '../platform/config.ts';

/** How plans apply, from the settings. */
export function planSettings(config: Config): PlanSettings {
  return {
    source: config.planSource,
    defaultPlan: config.planDefault,
    isEnforced: config.planLimits === 'enforce',
    ingestionRatePerMinute: {
      free: config.ingestRateFreePerMin,
      solo: config.ingestRateSoloPerMin,
      team: config.ingestRateTeamPerMin,
    },
    retention: { rawDays: config.retentionRawDays, incidentDays: config.retentionIncidentDays },
  };
}
