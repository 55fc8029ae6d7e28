/** Severities of incidents, the lowest first. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
